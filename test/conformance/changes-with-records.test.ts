import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { commitMerge } from './support/merges.ts'
import { aChange, aRecord, issuePaths, kinds, outcome, plurals } from './support/requests.ts'
import { aTag } from './support/tags.ts'

const given = useApi()

/** An organization, and its feed from now on, with records or without. */
async function aFeed() {
  const organization = await given.organization()
  // The party of the deals is there before the position.
  await aRecord('deal', organization)
  const start = String((await organization.client.get('/changes/cursor')).data.cursor)
  const changes = (client: Client, query = '&include=record') => client.get(`/changes?after=${start}${query}`)
  return { organization, client: organization.client, changes }
}

const recordsIn = (items: readonly JsonObject[]) => items.map(({ record }) => record)

describe('GET /changes?include=record', () => {
  it('shows with each event the record as GET shows it now, whatever the event is of', async () => {
    const { organization, client, changes } = await aFeed()
    const paths: string[] = []
    for (const kind of kinds) {
      const { id } = await aRecord(kind, organization)
      paths.push(`/${plurals[kind]}/${id}`)
      await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, ...aChange[kind] })
    }
    const present = await Promise.all(paths.map(async path => (await client.get(path)).data))
    const { status, items, meta } = await changes(client)
    expect([status, items.map(({ version }) => version)]).toEqual([200, [1, 2, 1, 2, 1, 2, 1, 2]])
    expect(recordsIn(items)).toEqual(present.flatMap(record => [record, record]))
    const plain = await changes(client, '')
    expect(items.map(({ record: _, ...event }) => event)).toEqual(plain.items)
    expect(meta).toEqual(plain.meta)
  })

  it('shows no record unless it is asked', async () => {
    const { organization, client, changes } = await aFeed()
    await aRecord('contact', organization)
    const { items } = await changes(client, '')
    expect([items.length, items.filter(event => 'record' in event)]).toEqual([1, []])
  })

  it('shows null for a record that was deleted, merged away or anonymized', async () => {
    const { organization, client, changes } = await aFeed()
    const deal = await aRecord('deal', organization)
    await client.delete(`/deals/${deal.id}?expectedVersion=1`)
    const person = await aRecord('contact', organization)
    await client.delete(`/contacts/${person.id}?expectedVersion=1`)
    const [primary, secondary] = [await aRecord('company', organization), await aRecord('company', organization)]
    const keys = { externalIdConflictResolution: 'keep_primary' }
    const merged = await commitMerge(client, 'company', [primary, secondary], keys)
    expect([merged.status, merged.error]).toEqual([200, {}])
    const { items } = await changes(client)
    const left = (await client.get(`/companies/${primary.id}`)).data
    expect(items.map(({ kind, record }) => [kind, record])).toEqual([
      ['deal.created', null],
      ['deal.deleted', null],
      ['contact.created', null],
      ['contact.anonymized', null],
      ['company.created', left],
      ['company.created', null],
      ...items.slice(6).map(({ kind, resourceId }) => [kind, resourceId === primary.id ? left : null]),
    ])
    expect(items.slice(6).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['company.merged', 'company.deleted']),
    )
  })

  it.each([
    ['contact_data', 'crm_contact_data_read', 'contactData'],
    ['custom_fields', 'crm_custom_fields_read', 'customFields'],
    ['tags', 'crm_tags_read', 'tagIds'],
    ['amounts', 'crm_amounts_read', 'amount'],
    ['operators', 'crm_operators_read', 'createdByUuid'],
  ] as const)('hides %s from a token without %s, as GET does', async (projection, scope, member) => {
    const { organization, changes } = await aFeed()
    for (const kind of kinds) await aRecord(kind, organization)
    const client = await organization.token(allBut(scope))
    const { items, meta } = await changes(client)
    for (const { resourceType, resourceId, record } of items) {
      const kind = kinds.find(each => each === resourceType)
      expect(record).toEqual((await client.get(`/${plurals[kind ?? 'contact']}/${resourceId}`)).data)
      expect(record).not.toHaveProperty(member)
    }
    expect([items.length, meta.redacted]).toEqual([4, [projection]])
  })

  it('names what it hides in one order, and only what the records of the page have', async () => {
    const { organization, changes } = await aFeed()
    await aRecord('company', organization)
    await aRecord('deal', organization)
    const client = await organization.token(allBut('crm_tags_read', 'crm_amounts_read', 'crm_contact_data_read'))
    const hidden = async (types: string) => (await changes(client, `&include=record&resourceTypes=${types}`)).meta
    expect((await hidden('company,deal')).redacted).toEqual(['contact_data', 'amounts', 'tags'])
    expect((await hidden('deal')).redacted).toEqual(['amounts', 'tags'])
    expect((await hidden('task')).redacted).toBeUndefined()
  })

  it('shows no record of a kind without its read scope, whose events it leaves out as before', async () => {
    const { organization, changes } = await aFeed()
    const contact = await aRecord('contact', organization)
    await aRecord('company', organization)
    const client = await organization.token(allBut('crm_contacts_read'))
    const { items, meta, body } = await changes(client)
    expect(items.map(({ kind }) => kind)).toEqual(['company.created'])
    expect(meta.range).toMatchObject({ matched: 1, filtered: 1 })
    expect(JSON.stringify(body)).not.toContain(contact.id)
    expect(outcome(await changes(client, '&include=record&resourceTypes=contact'))).toBe('403 insufficient_scope')
  })

  it('shows to each application its own keys alone', async () => {
    const { organization, changes } = await aFeed()
    const { externalId } = await aRecord('company', organization)
    const keysFor = async (client: Client) => recordsIn((await changes(client)).items)
    expect(await keysFor(organization.client)).toMatchObject([{ externalId }])
    expect(await keysFor((await organization.application()).client)).toMatchObject([{ externalId: null }])
  })

  it('gives at most 100 events, and goes on with nextCursor with records or without', async () => {
    const { client, changes } = await aFeed()
    const items = Array.from({ length: 100 }, (_, index) => ({ externalId: `c-${index}`, lastName: 'P' }))
    await client.post('/contacts/batch/upsert', { items })
    await client.post('/contacts/upsert', { externalId: 'c-100', lastName: 'P' })
    const tooMany = await changes(client, '&include=record&limit=101')
    expect([outcome(tooMany), issuePaths(tooMany)]).toEqual(['400 validation_error', ['query:limit']])
    const first = await changes(client, '&include=record&limit=100')
    expect([recordsIn(first.items).filter(record => record !== null).length, first.meta.hasMore]).toEqual([100, true])
    const { items: rest } = await client.get(`/changes?include=record&after=${first.meta.nextCursor}`)
    expect(rest).toMatchObject([{ record: { externalId: 'c-100' } }])
    expect((await client.get(`/changes?after=${first.meta.nextCursor}`)).items).toHaveLength(1)
  })

  it('refuses any other value of the parameter', async () => {
    const { client, changes } = await aFeed()
    for (const word of ['', 'records', 'record,links', 'Record']) {
      const refused = await changes(client, `&include=${word}`)
      expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', ['query:include']])
    }
  })

  it('shows tags that a record has got since the event', async () => {
    const { organization, client, changes } = await aFeed()
    const { id } = await aRecord('contact', organization)
    const tag = await aTag(given, organization)
    await client.put(`/contacts/${id}/tags`, { expectedVersion: 1, tags: [{ id: tag }] })
    const { items } = await changes(client)
    expect(recordsIn(items)).toMatchObject([
      { version: 2, tagIds: [tag] },
      { version: 2, tagIds: [tag] },
    ])
  })
})

describe('a page of records that are too large to be held as objects', () => {
  const description = '🂡'.repeat(10_000)

  it('shows each record in its place, as small pages do', async () => {
    const { organization, client, changes } = await aFeed()
    for (let number = 0; number < 12; number += 1) {
      await aRecord('company', organization, { description })
      await aRecord('contact', organization, { description })
    }
    const large = await changes(client, '&include=record&limit=100')
    expect(JSON.stringify(large.body).length).toBeGreaterThan(bounds.large.most)
    const small: JsonObject[] = []
    for (let cursor = ''; small.length < 24; ) {
      const page = cursor === '' ? await changes(client, '&include=record&limit=2') : await client.get(cursor)
      small.push(...page.items)
      cursor = `/changes?include=record&limit=2&after=${page.meta.nextCursor}`
    }
    expect(large.items).toEqual(small)
    expect(new Set(large.items.map(({ resourceType }) => resourceType))).toEqual(new Set(['company', 'contact']))
    const less = await changes(await organization.token(allBut('crm_contact_data_read')), '&include=record&limit=100')
    expect(less.meta.redacted).toEqual(['contact_data'])
    for (const { record } of less.items) expect(record).not.toHaveProperty('contactData')
  })

  it('has the record with each of many events about it', async () => {
    const { organization, client, changes } = await aFeed()
    const { id } = await aRecord('company', organization, { description })
    for (let version = 1; version < 20; version += 1)
      await client.patch(`/companies/${id}`, { expectedVersion: version, industry: `Industry ${version}` })
    const { items } = await changes(client)
    const { data } = await client.get(`/companies/${id}`)
    expect(recordsIn(items)).toEqual(Array.from({ length: 20 }, () => data))
  })
})
