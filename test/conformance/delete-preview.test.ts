import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aPerson, erase } from './support/persons.ts'
import { aRecord, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()
const kinds = ['contact', 'company'] as const
type Kind = (typeof kinds)[number]

const preview = ({ client }: TestOrganization, kind: Kind, id: unknown) =>
  client.get(`/${plurals[kind]}/${id}/delete/preview`)

const commit = ({ client }: TestOrganization, kind: Kind, id: unknown, members: JsonObject = {}) =>
  client.post(`/${plurals[kind]}/${id}/delete/commit`, kind === 'contact' ? { mode: 'full', ...members } : members)

/** Deals that name the record, each with another party beside it unless it is to be the only one. */
async function dealsWith(organization: TestOrganization, kind: Kind, id: unknown, count: number, alone = false) {
  const other = alone ? [] : [{ id: (await aRecord(kind, organization)).id }]
  const made = Array.from({ length: count }, () =>
    aRecord('deal', organization, { [plurals[kind]]: [{ id }, ...other] }),
  )
  return (await Promise.all(made)).map(deal => String(deal.id)).toSorted()
}

const fullBlockers = (kind: Kind, data: JsonObject) =>
  kind === 'contact' ? objectOf(data.blockers).full : data.blockers

describe.each(kinds)('the delete preview of a %s', kind => {
  it('shows the version, links with a sample, and whether the key becomes a tombstone', async () => {
    const organization = await given.organization()
    const record = await aRecord(kind, organization)
    const deals = await dealsWith(organization, kind, record.id, 12)
    const { status, data, meta } = await preview(organization, kind, record.id)
    expect([status, meta]).toEqual([200, {}])
    expect(data).toMatchObject({
      id: record.id,
      version: 1,
      links: { deals: { count: 12, sampleIds: deals.slice(0, 10) } },
      wouldTombstoneExternalId: true,
      ...(kind === 'contact'
        ? { modes: ['anonymize', 'full'], blockers: { anonymize: [], full: [] } }
        : { blockers: [] }),
    })
    expect('modes' in data).toBe(kind === 'contact')
  })

  it('shows a record without links and key as such', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization, { externalId: null })
    const { data } = await preview(organization, kind, id)
    expect(data.wouldTombstoneExternalId).toBe(false)
    for (const link of Object.values(objectOf(data.links))) expect(link).toEqual({ count: 0, sampleIds: [] })
  })

  it('names the deals that would be left without a party', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization)
    const alone = await dealsWith(organization, kind, id, 2, true)
    await dealsWith(organization, kind, id, 1)
    const { data } = await preview(organization, kind, id)
    const blockers = [{ code: 'deal_party_required', count: 2, dealIds: alone }]
    expect(fullBlockers(kind, data)).toEqual(blockers)
    const refused = await commit(organization, kind, id)
    expect([outcome(refused), refused.details.blockers]).toEqual(['422 validation_error', blockers])
  })

  it('shows exactly the effect of the commit', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization)
    const deals = await dealsWith(organization, kind, id, 3)
    const { data: told } = await preview(organization, kind, id)
    const facts = await factsOf(given, organization, async () => {
      const { data } = await commit(organization, kind, id, { expectedVersion: told.version })
      const { count } = objectOf(objectOf(told.links).deals)
      expect(data).toEqual({
        id,
        result: 'deleted',
        externalIdTombstoned: told.wouldTombstoneExternalId,
        ...(kind === 'contact'
          ? { mode: 'full', unlinked: { deals: count, companies: 0, tasks: 0 } }
          : { unlinked: { deals: count, contacts: 0, tasks: 0 } }),
      })
    })
    const changed = facts.events.filter(event => event.resourceType === 'deal').map(event => String(event.resourceId))
    expect(changed.toSorted()).toEqual(deals)
  })

  it('changes nothing, and leaves one audit entry and no event', async () => {
    const organization = await given.organization()
    const record = await aRecord(kind, organization)
    const facts = await factsOf(given, organization, () => preview(organization, kind, record.id))
    expect(facts).toMatchObject({
      events: [],
      audit: [{ action: `${kind}.delete_previewed`, resourceId: record.id, versions: [1, 1], changes: [] }],
    })
    expect((await organization.client.get(`/${plurals[kind]}/${record.id}`)).data).toEqual(record)
  })

  it('waits for no writer of the record, and keeps none waiting', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aRecord(kind, organization)
    const [told, ...changed] = await Promise.all([
      preview(organization, kind, id),
      ...[1, 2, 3].map(number => client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, source: `${number}` })),
    ])
    expect(told.status).toBe(200)
    expect(changed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  it('is 404 for an unknown record, and refused without the read scope', async () => {
    const organization = await given.organization()
    expect(outcome(await preview(organization, kind, unknownId))).toBe('404 not_found')
    const client = await organization.token(allBut(kind === 'contact' ? 'crm_contacts_read' : 'crm_companies_read'))
    expect(outcome(await client.get(`/${plurals[kind]}/${unknownId}/delete/preview`))).toBe('403 insufficient_scope')
  })
})

it('the delete preview of an anonymized contact is 410', async () => {
  const organization = await given.organization()
  const { id } = await aPerson(organization)
  await erase(organization, id, 'anonymize')
  expect(outcome(await preview(organization, 'contact', id))).toBe('410 resource_deleted')
  expect(outcome(await commit(organization, 'contact', id))).toBe('410 resource_deleted')
})

describe.each(kinds)('delete/commit of a %s', kind => {
  it('compares the version where one is sent, and does without where none is', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization)
    const stale = await commit(organization, kind, id, { expectedVersion: 7 })
    expect([outcome(stale), stale.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
    expect((await commit(organization, kind, id)).status).toBe(200)
    expect(outcome(await organization.client.get(`/${plurals[kind]}/${id}`))).toBe('404 not_found')
    expect(outcome(await commit(organization, kind, id))).toBe('404 not_found')
  })

  it('makes its keys tombstones, each for the application that had it', async () => {
    const organization = await given.organization()
    const { client } = await organization.application()
    const { id, externalId } = await aRecord(kind, organization)
    await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, externalId: 'theirs' })
    expect((await commit(organization, kind, id)).data.externalIdTombstoned).toBe(true)
    const gone = '410 external_reference_deleted'
    expect(outcome(await organization.client.get(`/${plurals[kind]}?externalId=${externalId}`))).toBe(gone)
    expect(outcome(await client.get(`/${plurals[kind]}?externalId=theirs`))).toBe(gone)
  })

  it('leaves a deleted event, and an updated one of each deal it was taken out of', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization)
    const [deal] = await dealsWith(organization, kind, id, 1)
    const { events } = await factsOf(given, organization, () => commit(organization, kind, id))
    expect(events.map(event => [event.kind, event.resourceId, event.version, event.changedFields])).toEqual([
      ['deal.updated', deal, 2, [plurals[kind]]],
      [`${kind}.deleted`, id, 2, []],
    ])
  })
})

describe('delete/commit of a contact', () => {
  it('needs a mode: 400 without one, without a body and with another word', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    const path = `/contacts/${id}/delete/commit`
    expect(issuePaths(await organization.client.post(path, {}))).toEqual(['/mode'])
    expect(issuePaths(await organization.client.post(path, { mode: 'softly' }))).toEqual(['/mode'])
    expect(outcome(await organization.client.post(path))).toBe('400 validation_error')
  })

  it('anonymizes in the mode for that: the deals keep their link and version', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const [deal] = await dealsWith(organization, 'contact', id, 1, true)
    const { data, meta } = await commit(organization, 'contact', id, { mode: 'anonymize' })
    expect(data).toMatchObject({ result: 'anonymized', unlinked: { deals: 0, companies: 0, tasks: 0 } })
    expect(meta.erasureId).toEqual(expect.any(String))
    expect((await organization.client.get(`/deals/${deal}`)).data).toMatchObject({ version: 1, contactIds: [id] })
  })
})

it('delete/commit of a company takes no mode, but a body: an empty POST deletes nothing', async () => {
  const organization = await given.organization()
  const { id } = await aRecord('company', organization)
  const path = `/companies/${id}/delete/commit`
  expect(issuePaths(await organization.client.post(path, { mode: 'full' }))).toEqual(['/mode'])
  const empty = await organization.client.post(path)
  expect([outcome(empty), empty.error.message]).toEqual(['400 validation_error', 'A JSON body is required'])
  expect((await organization.client.get(`/companies/${id}`)).status).toBe(200)
  expect((await organization.client.post(path, {})).status).toBe(200)
})
