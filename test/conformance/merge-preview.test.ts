import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPair, customField, fieldOf, type MergedKind, mergedKinds, previewMerge } from './support/merges.ts'
import { aPerson, erase } from './support/persons.ts'
import { aRecord, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

async function outcomeOf(kind: MergedKind, field: string, primary: JsonObject, secondary: JsonObject) {
  const organization = await given.shared()
  const pair = await aPair(kind, organization, primary, secondary)
  return fieldOf(await previewMerge(organization.client, kind, pair), field)
}

describe.each(mergedKinds)('the merge preview of two %s records', kind => {
  it('shows both heads', async () => {
    const organization = await given.shared()
    const [primary, secondary] = await aPair(kind, organization, { externalId: `head-${kind}` })
    const { status, data } = await previewMerge(organization.client, kind, [primary, secondary])
    expect(status).toBe(200)
    for (const [side, record] of [
      ['primary', primary],
      ['secondary', secondary],
    ] as const) {
      const { id, externalId, version, displayName = record.name } = record
      expect(data[side]).toEqual({ id, externalId, version, displayName })
    }
  })

  it('takes ids, or references by id or key', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization, { externalId: `by-key-${kind}` })
    const expected = (await previewMerge(client, kind, [primary, secondary])).data
    const path = `/${plurals[kind]}/merge/preview`
    const references = { primary: { externalId: primary.externalId }, secondary: { id: secondary.id } }
    expect((await client.post(path, references)).data).toEqual(expected)
    const mixed = { primaryId: primary.id, secondary: { id: secondary.id } }
    expect(outcome(await client.post(path, mixed))).toBe('400 validation_error')
  })

  it.each([
    ['of equal values', { source: 'fair' }, { source: 'fair' }, 'same'],
    ['where both are empty', { source: null }, { source: null }, 'same'],
    ['where one alone is filled, the primary', { source: 'fair' }, { source: null }, 'primary'],
    ['where one alone is filled, the secondary', { source: null }, { source: 'fair' }, 'secondary'],
    ['of different values', { source: 'fair' }, { source: 'web' }, 'conflict'],
  ])('gives a field %s its outcome', async (_, primary, secondary, expected) => {
    expect(await outcomeOf(kind, 'source', primary, secondary)).toEqual({
      field: 'source',
      primaryValue: primary.source,
      secondaryValue: secondary.source,
      outcome: expected,
    })
  })

  it('names the conflicts, and nothing else, as required resolutions', async () => {
    const organization = await given.shared()
    const one = { source: 'fair', description: 'same', ownerUuid: organization.operator }
    const other = { source: 'web', description: 'same', ownerUuid: null }
    const { data } = await previewMerge(organization.client, kind, await aPair(kind, organization, one, other))
    expect(data.requiredResolutions).toEqual(['source'])
  })

  it('unites lists of contact data, and compares each by itself', async () => {
    const organization = await given.shared()
    const phones = (value: string) => ({ contactData: { phones: [{ value }] } })
    const pair = await aPair(kind, organization, phones('+1 202 555 0101'), phones('+1 202 555 0102'))
    const answer = await previewMerge(organization.client, kind, pair)
    const outcomes = ['phones', 'emails', 'addresses'].map(list => fieldOf(answer, `contactData.${list}`)?.outcome)
    expect(outcomes).toEqual(['union', 'same', 'same'])
    expect(fieldOf(answer, 'contactData')).toBeUndefined()
  })

  it('lists no field that the server computes', async () => {
    const organization = await given.shared()
    const { data } = await previewMerge(organization.client, kind, await aPair(kind, organization))
    const names = Array.isArray(data.fields) ? data.fields.filter(isObject).map(({ field }) => field) : []
    expect(names).toEqual(expect.arrayContaining(['source', 'ownerUuid', 'tagIds', 'contactData.messengers']))
    for (const name of ['displayName', 'id', 'version', 'createdAt', 'externalId']) expect(names).not.toContain(name)
  })

  it('counts the deals of either, and those after the merge', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization)
    const deal = (...records: readonly JsonObject[]) =>
      aRecord('deal', organization, { [plurals[kind]]: records.map(({ id }) => ({ id })) })
    await Promise.all([deal(primary), deal(primary, secondary), deal(secondary), deal(secondary)])
    const { data } = await previewMerge(organization.client, kind, [primary, secondary])
    expect(data.links).toMatchObject({ deals: { primary: 2, secondary: 3, merged: 4 } })
  })

  it('shows whether both have a key of the application, and what becomes of the keys of others', async () => {
    const organization = await given.organization()
    const { client } = await organization.application()
    const third = await organization.application()
    const [primary, secondary] = await aPair(kind, organization, { externalId: 'a' }, { externalId: 'b' })
    const path = `/${plurals[kind]}`
    await client.patch(`${path}/${primary.id}`, { expectedVersion: 1, externalId: 'theirs-a' })
    await client.patch(`${path}/${secondary.id}`, { expectedVersion: 1, externalId: 'theirs-b' })
    await third.client.patch(`${path}/${secondary.id}`, { expectedVersion: 2, externalId: 'third-b' })
    const own = (await previewMerge(organization.client, kind, [primary, secondary])).data
    expect([own.externalIdConflict, own.otherApplications]).toEqual([true, { moved: 1, conflicts: 1 }])
    const thirds = (await previewMerge(third.client, kind, [primary, secondary])).data
    expect([thirds.externalIdConflict, thirds.otherApplications]).toEqual([false, { moved: 0, conflicts: 2 }])
  })

  it('names lists that would be too long', async () => {
    const organization = await given.shared()
    const phones = (start: number, count: number) => ({
      contactData: {
        phones: Array.from({ length: count }, (_, index) => ({ value: `+1 202 555 0${start + index}` })),
      },
    })
    const fits = await aPair(kind, organization, phones(100, 15), phones(200, 5))
    expect((await previewMerge(organization.client, kind, fits)).data.blockers).toEqual([])
    const pair = await aPair(kind, organization, phones(100, 15), phones(200, 6))
    expect((await previewMerge(organization.client, kind, pair)).data.blockers).toEqual([
      { code: 'list_too_long', field: 'contactData.phones', count: 21, limit: 20 },
    ])
  })

  it('changes nothing, stores its answer, and leaves an audit entry of each record', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization, { source: 'fair' }, { source: 'web' })
    const body = { primaryId: primary.id, secondaryId: secondary.id }
    const path = `/${plurals[kind]}/merge/preview`
    const facts = await factsOf(given, organization, async () => {
      const first = await organization.client.post(path, body, { key: 'preview' })
      const again = await organization.client.post(path, body, { key: 'preview' })
      expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
    })
    expect(facts.events).toEqual([])
    expect(facts.audit.map(entry => [entry.action, entry.resourceId, entry.versions, entry.changes])).toEqual([
      [`${kind}.merge_previewed`, primary.id, [1, 1], []],
      [`${kind}.merge_previewed`, secondary.id, [1, 1], []],
    ])
    expect((await organization.client.get(`/${plurals[kind]}/${primary.id}`)).data).toEqual(primary)
  })

  it('is 404 for an unknown side, and names it', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const unknown = { id: unknownId }
    const missing = await previewMerge(organization.client, kind, [record, unknown])
    expect([outcome(missing), missing.details]).toEqual(['404 not_found', { path: '/secondaryId' }])
    expect((await previewMerge(organization.client, kind, [unknown, record])).details).toEqual({ path: '/primaryId' })
  })

  it('of a record with itself is 422', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const answer = await previewMerge(organization.client, kind, [record, record])
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/secondaryId']])
  })
})

describe('the merge preview of two contacts', () => {
  it('is 410 where one is anonymized, and 404 where the other is unknown beside it', async () => {
    const organization = await given.organization()
    const gone = await aPerson(organization)
    const other = await aRecord('contact', organization)
    await erase(organization, gone.id, 'anonymize')
    const { client } = organization
    expect(outcome(await previewMerge(client, 'contact', [other, gone]))).toBe('410 resource_deleted')
    expect(outcome(await previewMerge(client, 'contact', [gone, other]))).toBe('410 resource_deleted')
    expect(outcome(await previewMerge(client, 'contact', [gone, { id: unknownId }]))).toBe('404 not_found')
  })

  it('compares custom fields key by key, and unites several options', async () => {
    const organization = await given.organization()
    await customField(given, organization, 'contact', 'region', 'text')
    await customField(given, organization, 'contact', 'size', 'number')
    await customField(given, organization, 'contact', 'topics', 'multiselect')
    const pair = await aPair(
      'contact',
      organization,
      { customFields: { region: 'north', topics: ['a'] } },
      { customFields: { region: 'south', size: '3', topics: ['b', 'a'] } },
    )
    const answer = await previewMerge(organization.client, 'contact', pair)
    const outcomes = ['region', 'size', 'topics'].map(key => fieldOf(answer, `customFields.${key}`)?.outcome)
    expect(outcomes).toEqual(['conflict', 'secondary', 'union'])
    expect(answer.data.requiredResolutions).toEqual(['customFields.region'])
  })
})

describe('the merge preview of two companies', () => {
  it('unites websites', async () => {
    const one = { websites: ['https://one.example'] }
    const other = { websites: ['https://two.example'] }
    expect(await outcomeOf('company', 'websites', one, other)).toMatchObject({ outcome: 'union' })
  })

  it('recognizes a custom field, whatever its key', async () => {
    const organization = await given.organization()
    await customField(given, organization, 'company', 'constructor', 'text')
    const pair = await aPair('company', organization, {}, { customFields: { constructor: 'Brunel' } })
    const answer = await previewMerge(organization.client, 'company', pair)
    const values = { primaryValue: null, secondaryValue: 'Brunel' }
    const name = 'customFields.constructor'
    expect(fieldOf(answer, name)).toEqual({ field: name, ...values, outcome: 'secondary' })
    expect(answer.data.requiredResolutions).toEqual([])
  })

  it('wants a side for different names', async () => {
    const organization = await given.shared()
    const pair = await aPair('company', organization, { name: 'Engines' }, { name: 'Engines Ltd' })
    expect((await previewMerge(organization.client, 'company', pair)).data.requiredResolutions).toEqual(['name'])
  })
})
