import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { setOrganization } from '../../server/src/settings/index.ts'
import { objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

/** Sets the country as the command does; the phone numbers are normalised when the jobs run. */
async function move({ id: organizationId }: TestOrganization, country: string): Promise<string | undefined> {
  const { database, secret } = given.api.services
  return (await setOrganization({ database, secret }, { organizationId, country })).phoneJobId
}

async function inGermany(): Promise<TestOrganization> {
  const organization = await given.organization()
  await move(organization, 'DE')
  return organization
}

const withPhones = (values: readonly string[], ...countries: string[]) => ({
  phones: values.map(value => ({ value })),
  ...(countries.length > 0 ? { addresses: countries.map(country => ({ country })) } : {}),
})

const e164In = ({ contactData }: JsonObject) => {
  const { phones } = objectOf(contactData)
  return Array.isArray(phones) ? phones.map(({ e164 }) => e164) : phones
}

describe('a phone number without a country code', () => {
  it('belongs to the country of the organization, which capabilities show', async () => {
    const organization = await inGermany()
    const { data } = await organization.client.get('/capabilities')
    expect(data.organization).toMatchObject({ country: 'DE', locale: 'en' })
    expect(e164In(await aRecord('contact', organization, { contactData: withPhones(['030/1234567']) }))).toEqual([
      '+49301234567',
    ])
  })

  it('is one of the country of the address first, and another one when the address is', async () => {
    const organization = await given.organization()
    const contactData = withPhones(['030 1234567', '(202) 555-0143'], 'DE')
    const { id } = await aRecord('company', organization, { contactData })
    const { client } = organization
    expect(e164In((await client.get(`/companies/${id}`)).data)).toEqual(['+49301234567', '+492025550143'])
    const body = { expectedVersion: 1, contactData: { addresses: [{ country: 'CA' }] } }
    expect(e164In((await client.patch(`/companies/${id}`, body)).data)).toEqual([null, '+12025550143'])
  })

  it('is not taken for one of a country in which it is not valid', async () => {
    const organization = await given.organization()
    const { contactData } = await aRecord('contact', organization, { contactData: withPhones(['030/1234567']) })
    expect(contactData).toMatchObject({ phones: [{ value: '030/1234567', e164: null }] })
  })

  it('is found by a search as it is dialled in the country', async () => {
    const organization = await inGermany()
    const { id } = await aRecord('contact', organization, { contactData: withPhones(['+49 30 1234567']) })
    const { items } = await organization.client.get(`/search?q=${encodeURIComponent('030 1234567')}`)
    expect(items).toMatchObject([{ id }])
  })
})

describe('an import', () => {
  const mapping = { lastName: 'name', phone1: 'phone', phone2: 'other', 'address.country': 'country' }
  const dedupPolicy = { strategy: 'create_or_update', matchBy: ['phone'], onConflict: 'overwrite' }
  const rows = (client: TestOrganization['client'], ...each: readonly string[][]) =>
    importFile(given.api, client, csv(['name', 'phone', 'other', 'country'], ...each), { mapping, dedupPolicy })

  it('reads numbers by the country of their row, once each', async () => {
    const { client } = await given.organization()
    expect((await rows(client, ['Ada', '030 1234567', '+49 30 1234567', 'Germany'])).counters).toMatchObject({
      created: 1,
    })
    const { items } = await client.get('/contacts')
    expect(items.map(e164In)).toEqual([['+49301234567']])
  })

  it.each([
    ['with its country code', '+49 30 1234567', ''],
    ['by the country of the row', '030-1234567', 'DE'],
    ['as it was typed, without a country', '030 1234567', ''],
  ])('finds a record by its number %s', async (_, phone, country) => {
    const organization = await given.organization()
    await aRecord('contact', organization, { contactData: withPhones(['030 1234567'], 'DE') })
    const { counters } = await rows(organization.client, ['Ada', phone, '', country])
    expect(counters).toMatchObject({ created: 0, updated: 1 })
  })
})

describe('when the country changes', () => {
  it('each record whose number is read otherwise has a new version and one event, and no other one', async () => {
    const organization = await given.organization()
    const { client } = organization
    const moved = await aRecord('contact', organization, {
      contactData: withPhones(['030/1234567', '+1 202 555 0143']),
    })
    const company = await aRecord('company', organization, { contactData: withPhones(['040 1234567']) })
    const same = await aRecord('contact', organization, { contactData: withPhones(['+49 30 7654321']) })
    const located = await aRecord('contact', organization, { contactData: withPhones(['(202) 555-0143'], 'US') })
    const { cursor } = (await client.get('/changes/cursor')).data
    const jobId = await move(organization, 'DE')
    await runJobs(given.api)

    const now = async (path: string) => {
      const { data } = await client.get(path)
      return [data.version, e164In(data)]
    }
    expect(await now(`/contacts/${moved.id}`)).toEqual([2, ['+49301234567', '+12025550143']])
    expect(await now(`/companies/${company.id}`)).toEqual([2, ['+49401234567']])
    expect(await now(`/contacts/${same.id}`)).toEqual([1, ['+49307654321']])
    expect(await now(`/contacts/${located.id}`)).toEqual([1, ['+12025550143']])
    const { items: events } = await client.get(`/changes?after=${cursor}`)
    expect(events.map(({ kind, resourceId }) => [kind, resourceId])).toEqual([
      ['contact.updated', moved.id],
      ['company.updated', company.id],
    ])
    for (const event of events)
      expect(event).toMatchObject({ actorType: 'system', jobId, version: 2, changedFields: ['contactData'] })
  })

  it('the job shows its progress, and a further change replaces it', async () => {
    const organization = await given.organization()
    await aRecord('contact', organization, { contactData: withPhones(['030/1234567']) })
    const first = await move(organization, 'DE')
    const second = await move(organization, 'AT')
    expect(second).not.toBe(first)
    await runJobs(given.api)
    const [row, ...more] = await given.sql(
      'select n.id, n.status, n.examined, n.changed from phone_normalizations n where n.organization_id = $1',
      [organization.id],
    )
    expect(more).toEqual([])
    expect(row).toEqual({ id: second, status: 'completed', examined: '1', changed: '0' })
  })

  it('to the one that it is, numbers of an earlier release are normalised, and writes go on', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aRecord('contact', organization, { contactData: withPhones(['030/1234567']) })
    const as = `jsonb_set(contact_data, '{phones,0,e164}', '"+10301234567"')`
    await given.sql(`update contacts set contact_data = ${as} where id = $1`, [id])
    await move(organization, 'US')
    await runJobs(given.api)
    const { data } = await client.get(`/contacts/${id}`)
    expect([data.version, e164In(data)]).toEqual([2, [null]])
    expect((await client.patch(`/contacts/${id}`, { expectedVersion: 2, lastName: 'Lovelace' })).status).toBe(200)
  })
})
