import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf, nothing } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aBody, aChange, aRecord, inCharge, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()

const customField = `insert into custom_field_definitions (organization_id, kind, key, label, type, position, created_at)
  select $1, kind, key, key, 'text', 0, now() from unnest($2::text[]) kind, unnest($3::text[]) key`

/** An organization whose records have the custom fields `region` and `channel`. */
async function anOrganization(): Promise<TestOrganization> {
  const organization = await given.organization()
  await given.configure(organization, customField, [organization.id, kinds, ['region', 'channel']])
  return organization
}

/** A record with a value in every field that a PATCH can change. */
async function aFullRecord(kind: Kind, organization: TestOrganization) {
  const { operator } = organization
  const common = { description: 'About', [inCharge[kind]]: operator, customFields: { region: 'north' } }
  const contactData = {
    phones: [{ value: '+1 202 555 0143' }],
    emails: [{ value: 'a@example.com', label: 'personal' }],
    addresses: [{ city: 'Boston', country: 'US' }],
    messengers: [{ type: 'telegram', value: 'anna' }],
  }
  const own: Readonly<Record<Kind, JsonObject>> = {
    contact: {
      firstName: 'Anna',
      middleName: 'Maria',
      lastName: 'Petrova',
      jobTitle: 'Buyer',
      source: 'web',
      contactData: { ...contactData, birthDate: '1990-02-03' },
    },
    company: {
      name: 'Northwind',
      legalName: 'Northwind Ltd',
      taxId: 'DE-1',
      registrationNumber: '77',
      industry: 'Retail',
      employeesCount: 12,
      websites: ['https://example.com'],
      source: 'web',
      contactData,
    },
    deal: {
      title: 'Chairs',
      amount: '10.50',
      currency: 'EUR',
      priority: 'high',
      expectedCloseDate: '2026-05-01',
      contacts: [{ id: (await aRecord('contact', organization)).id }],
      companies: [{ id: (await aRecord('company', organization)).id }],
    },
    task: {
      title: 'Call',
      type: 'call',
      status: 'done',
      priority: 'high',
      startAt: '2026-04-01T07:00:00+02:00',
      dueDate: '2026-05-01',
      deal: { id: (await aRecord('deal', organization)).id },
      contact: { id: (await aRecord('contact', organization)).id },
      company: { externalId: (await aRecord('company', organization)).externalId },
    },
  }
  const sent = { ...common, ...own[kind] }
  return { sent, record: await aRecord(kind, organization, sent) }
}

describe.each(kinds)('PATCH of a %s', kind => {
  const path = `/${plurals[kind]}`

  it('leaves absent members as they are', async () => {
    const organization = await anOrganization()
    const { record } = await aFullRecord(kind, organization)
    given.clock.advance(1000)
    const change =
      kind === 'contact' ? { jobTitle: 'CFO' } : kind === 'company' ? { industry: 'Steel' } : { title: 'x' }
    const { status, data } = await organization.client.patch(`${path}/${record.id}`, { expectedVersion: 1, ...change })
    expect(status).toBe(200)
    expect(data).toEqual({
      ...record,
      ...change,
      ...(kind === 'contact' ? { displayName: 'Petrova Anna Maria' } : {}),
      version: 2,
      updatedAt: new Date(given.clock.now()).toISOString(),
    })
    expect((await organization.client.get(`${path}/${record.id}`)).data).toEqual(data)
  })

  it('of nothing but the version is a no-op: no version, no event, no audit entry', async () => {
    const organization = await anOrganization()
    const { record } = await aFullRecord(kind, organization)
    given.clock.advance(1000)
    const facts = await factsOf(given, organization, async () => {
      const { status, data } = await organization.client.patch(`${path}/${record.id}`, { expectedVersion: 1 })
      expect([status, data]).toEqual([200, record])
    })
    expect(facts).toEqual(nothing)
  })

  it('of everything to its present value is a no-op', async () => {
    const organization = await anOrganization()
    const { sent, record } = await aFullRecord(kind, organization)
    given.clock.advance(1000)
    const facts = await factsOf(given, organization, async () => {
      const body = { expectedVersion: 1, externalId: record.externalId, ...sent }
      const { status, data } = await organization.client.patch(`${path}/${record.id}`, body)
      expect([status, data]).toEqual([200, record])
    })
    expect(facts).toEqual(nothing)
  })

  it('still checks the version when it would change nothing', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const answer = await organization.client.patch(`${path}/${id}`, { expectedVersion: 2 })
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
  })

  it('raises the version by one, whatever the number of changed fields', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const body = { ...aChange[kind], description: 'new', [inCharge[kind]]: organization.operator, externalId: null }
    const { data } = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, ...body })
    expect(data).toMatchObject({ ...body, version: 2 })
  })

  it('merges customFields key by key: null clears one, the others stay', async () => {
    const organization = await anOrganization()
    const { record } = await aFullRecord(kind, organization)
    const write = async (expectedVersion: number, customFields: unknown) =>
      (await organization.client.patch(`${path}/${record.id}`, { expectedVersion, customFields })).data
    expect((await write(1, { channel: 'fair' })).customFields).toEqual({ region: 'north', channel: 'fair' })
    expect((await write(2, { region: null })).customFields).toEqual({ channel: 'fair' })
    expect(await write(3, { region: null })).toMatchObject({ version: 3, customFields: { channel: 'fair' } })
    expect(await write(3, {})).toMatchObject({ version: 3, customFields: { channel: 'fair' } })
    const refused = await organization.client.patch(`${path}/${record.id}`, { expectedVersion: 3, customFields: null })
    expect(outcome(refused)).toBe('400 validation_error')
  })

  it('by two writers on one version lets the first win', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const body = { expectedVersion: 1, ...aChange[kind] }
    expect((await organization.client.patch(`${path}/${id}`, body)).status).toBe(200)
    const answer = await organization.client.patch(`${path}/${id}`, body)
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 2 }])
  })

  it('may name a version that the record will only have later: 409', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const answer = await organization.client.patch(`${path}/${id}`, { expectedVersion: Number.MAX_SAFE_INTEGER })
    expect(outcome(answer)).toBe('409 version_conflict')
  })
})

describe.each(['contact', 'company'] as const)('PATCH of contactData of a %s', kind => {
  const path = `/${plurals[kind]}`

  it('replaces each given list whole and leaves the others', async () => {
    const organization = await anOrganization()
    const { record } = await aFullRecord(kind, organization)
    const contactData = { phones: [{ value: '+1 202 555 0199' }], messengers: [] }
    const body = { expectedVersion: 1, contactData }
    const { data } = await organization.client.patch(`${path}/${record.id}`, body)
    expect(data.contactData).toEqual({
      ...objectOf(record.contactData),
      phones: [{ value: '+1 202 555 0199', e164: '+12025550199', label: 'mobile', isPrimary: true }],
      messengers: [],
    })
  })

  it('refuses null for itself and for a list', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    for (const contactData of [null, { phones: null }, { emails: null }]) {
      const answer = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, contactData })
      expect(outcome(answer)).toBe('400 validation_error')
    }
  })

  it('without a change is a no-op', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const { data } = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, contactData: {} })
    expect(data.version).toBe(1)
  })
})

describe('PATCH of birthDate', () => {
  it('clears it with null and keeps the lists', async () => {
    const organization = await anOrganization()
    const { record } = await aFullRecord('contact', organization)
    const body = { expectedVersion: 1, contactData: { birthDate: null } }
    const { data } = await organization.client.patch(`/contacts/${record.id}`, body)
    expect(data.contactData).toEqual({ ...objectOf(record.contactData), birthDate: null })
  })
})

describe.each(kinds)('an upsert of a %s that exists', kind => {
  const path = `/${plurals[kind]}/upsert`

  it('has PATCH semantics: absent members stay, the same again is a no-op', async () => {
    const organization = await anOrganization()
    const { sent, record } = await aFullRecord(kind, organization)
    const { externalId } = record
    const facts = await factsOf(given, organization, async () => {
      const { status, data, meta } = await organization.client.post(path, { externalId, expectedVersion: 1, ...sent })
      expect([status, data, meta]).toEqual([200, record, { created: false }])
    })
    expect(facts).toEqual(nothing)
    const { data } = await organization.client.post(path, { externalId, expectedVersion: 1, description: 'new' })
    expect(data).toEqual({ ...record, description: 'new', version: 2, updatedAt: data.updatedAt })
  })

  it('refuses a stale version with the current one', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    const answer = await organization.client.post(path, { externalId, expectedVersion: 5, description: 'new' })
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
  })

  it('without the version gets a 428, and the record is unchanged', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const answer = await organization.client.post(path, { ...(await aBody(kind, organization)), externalId })
    expect(outcome(answer)).toBe('428 precondition_required')
    expect((await organization.client.get(`/${plurals[kind]}/${id}`)).data.version).toBe(1)
  })
})

describe('timestamps', () => {
  it.each(kinds)('of a %s are UTC with milliseconds: createdAt stays, updatedAt follows the change', async kind => {
    given.clock.set('2026-03-02T16:00:00.007Z')
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    expect([record.createdAt, record.updatedAt]).toEqual(['2026-03-02T16:00:00.007Z', '2026-03-02T16:00:00.007Z'])
    given.clock.set('2026-03-02T16:00:01.120Z')
    const path = `/${plurals[kind]}/${record.id}`
    await organization.client.patch(path, { expectedVersion: 1, ...aChange[kind] })
    const { data } = await organization.client.get(path)
    expect([data.createdAt, data.updatedAt]).toEqual(['2026-03-02T16:00:00.007Z', '2026-03-02T16:00:01.120Z'])
  })
})

describe('authors', () => {
  it.each(kinds)('of a %s name the application that created it; no user wrote it', async kind => {
    const organization = await given.shared()
    const { client } = await organization.application()
    const created = await aRecord(kind, organization)
    const body = { expectedVersion: 1, ...aChange[kind] }
    const { data } = await client.patch(`/${plurals[kind]}/${created.id}`, body)
    const { createdByApplicationId, createdByUuid, updatedByUuid } = data
    expect({ createdByApplicationId, createdByUuid, updatedByUuid }).toEqual({
      createdByApplicationId: organization.applicationId,
      createdByUuid: null,
      updatedByUuid: null,
    })
  })
})
