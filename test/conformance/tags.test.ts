import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { dealEvents } from './support/deals.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aPerson, erase } from './support/persons.ts'
import { aRecord, issuePaths, issueRules, type Kind, kinds, outcome, plurals, unknownId } from './support/requests.ts'
import { aRemovedTagKey, aTag } from './support/tags.ts'

const given = useApi()

const pathOf = (kind: Kind, { id }: JsonObject) => `/${plurals[kind]}/${id}/tags`

/** Replaces the tags of a record; its version is the expected one unless told. */
const put = (client: Client, kind: Kind, record: JsonObject, tags: unknown, version = record.version) =>
  client.put(pathOf(kind, record), { expectedVersion: version, tags })

const byId = (ids: readonly string[]) => ids.map(id => ({ id }))

/** A record with two tags, at version 2, and a third tag. */
async function aTaggedRecord(kind: Kind, organization: TestOrganization) {
  const tags = [await aTag(given, organization), await aTag(given, organization), await aTag(given, organization)]
  const [one = '', two = '', three = ''] = tags
  const created = await aRecord(kind, organization)
  expect((await put(organization.client, kind, created, byId([one, two]))).status).toBe(200)
  const record = (await organization.client.get(`/${plurals[kind]}/${created.id}`)).data
  return { record, one, two, three }
}

describe.each(kinds)('the tags of a %s', kind => {
  it('are answered by name, with the version of the record, by PUT as by GET', async () => {
    const organization = await given.organization()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const late = await aTag(given, organization, { name: 'zebra' })
    const early = await aTag(given, organization, { name: 'Apple', key: 'apple' })
    const replaced = await put(client, kind, record, byId([late, organization.tag, early]))
    const tag = { color: '#2F80ED', kinds: [...kinds], createdAt: '2026-01-01T00:00:00.000Z' }
    expect([replaced.status, replaced.body]).toEqual([
      200,
      {
        data: [
          { id: early, externalId: 'apple', name: 'Apple', ...tag },
          { id: organization.tag, externalId: null, name: 'Regular', ...tag, color: null },
          { id: late, externalId: null, name: 'zebra', ...tag },
        ],
        meta: { version: 2 },
      },
    ])
    expect((await client.get(pathOf(kind, record))).body).toEqual(replaced.body)
  })

  it('are replaced whole, and taken away by []', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { record, two, three } = await aTaggedRecord(kind, organization)
    const replaced = await put(client, kind, record, byId([two, three]))
    expect(replaced.items.map(({ id }) => id).toSorted()).toEqual([two, three].toSorted())
    const emptied = await put(client, kind, record, [], 3)
    expect(emptied.body).toEqual({ data: [], meta: { version: 4 } })
    expect((await client.get(`/${plurals[kind]}/${record.id}`)).data).toMatchObject({ tagIds: [], version: 4 })
  })

  it('raise the version by one and updatedAt, and leave the rest of the record as it is', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    given.clock.advance(1000)
    await put(organization.client, kind, record, byId([organization.tag]))
    const updatedAt = new Date(given.clock.now()).toISOString()
    expect((await organization.client.get(`/${plurals[kind]}/${record.id}`)).data).toEqual({
      ...record,
      version: 2,
      updatedAt,
      tagIds: [organization.tag],
    })
  })

  it('leave one updated event that names tags, and an audit entry with the ids before and after', async () => {
    const organization = await given.shared()
    const { record, one, two, three } = await aTaggedRecord(kind, organization)
    const { events, audit } = await factsOf(given, organization, () =>
      put(organization.client, kind, record, byId([three, one])),
    )
    expect(events).toMatchObject([
      { kind: `${kind}.updated`, operation: 'updated', resourceId: record.id, version: 3, changedFields: ['tags'] },
    ])
    expect(audit).toMatchObject([{ action: `${kind}.updated`, versions: [2, 3], resourceId: record.id }])
    const [before, after] = [[one, two].toSorted(), [one, three].toSorted()]
    expect(audit[0]?.changes).toEqual([{ field: 'tags', before, after, guard: 'tags' }])
  })

  it('of an unknown record are 404, before any fault of the tags', async () => {
    const { client } = await given.shared()
    const unknown = { id: unknownId, version: 1 }
    expect(outcome(await client.get(pathOf(kind, unknown)))).toBe('404 not_found')
    const answer = await put(client, kind, unknown, [{ id: unknownId }])
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', {}])
  })

  it('that are for other kinds are refused: 422, each in its place, after a stale version', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const others = kinds.filter(other => other !== kind)
    const wrong = [await aTag(given, organization, { kinds: others }), await aTag(given, organization, { kinds: [] })]
    const tags = byId([wrong[0] ?? '', organization.tag, wrong[1] ?? ''])
    const answer = await put(organization.client, kind, record, tags)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/tags/0', '/tags/2']])
    expect(issueRules(answer)).toEqual(['kind', 'kind'])
    expect(outcome(await put(organization.client, kind, record, tags, 7))).toBe('409 version_conflict')
    const own = await aTag(given, organization, { kinds: [kind] })
    expect((await put(organization.client, kind, record, byId([own]))).status).toBe(200)
  })

  it('are answered to a writer who may not read the record: they hold nothing else', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const plural = kind === 'company' ? 'companies' : (`${kind}s` as const)
    const writer = await organization.token([`crm_${plural}_write`, 'crm_tags_read'])
    const { status, body } = await put(writer, kind, record, byId([organization.tag]))
    expect([status, body]).toMatchObject([200, { data: [{ id: organization.tag }], meta: { version: 2 } }])
    expect(outcome(await writer.get(pathOf(kind, record)))).toBe('403 insufficient_scope')
  })
})

/** What follows is the same for every kind: it is shown with one. */
describe('tags', () => {
  const kind = 'deal'

  it('are empty at first', async () => {
    const organization = await given.shared()
    const { body } = await organization.client.get(pathOf(kind, await aRecord(kind, organization)))
    expect(body).toEqual({ data: [], meta: { version: 1 } })
  })

  it('are shown in the record as tagIds, in the same order however they were sent', async () => {
    const organization = await given.shared()
    const { client } = organization
    const ids = [await aTag(given, organization), await aTag(given, organization), await aTag(given, organization)]
    for (const sent of [ids, ids.toReversed()]) {
      const record = await aRecord(kind, organization)
      await put(client, kind, record, byId(sent))
      const { data } = await client.get(`/${plurals[kind]}/${record.id}`)
      expect(data).toMatchObject({ version: 2, tagIds: ids.toSorted() })
    }
  })

  it('are given by id, also in capitals, or by the key of the application', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const one = await aTag(given, organization, { name: `A ${record.id}` })
    const two = await aTag(given, organization, { name: `B ${record.id}`, key: `two-${record.id}` })
    const references = [{ id: one.toUpperCase() }, { externalId: `two-${record.id}` }]
    const { items } = await put(organization.client, kind, record, references)
    expect(items.map(({ id, externalId }) => [id, externalId])).toEqual([
      [one, null],
      [two, `two-${record.id}`],
    ])
  })

  it('show each application its own key of a tag, and take no other', async () => {
    const organization = await given.shared()
    const { client } = await organization.application()
    const record = await aRecord(kind, organization)
    const key = `mine-${record.id}`
    const tag = await aTag(given, organization, { key })
    const refused = await put(client, kind, record, [{ externalId: key }])
    expect([outcome(refused), refused.details]).toEqual(['404 not_found', { path: '/tags/0' }])
    expect((await put(client, kind, record, [{ id: tag }])).items).toMatchObject([{ id: tag, externalId: null }])
    expect((await client.get(pathOf(kind, record))).items).toMatchObject([{ id: tag, externalId: null }])
    expect((await organization.client.get(pathOf(kind, record))).items).toMatchObject([{ id: tag, externalId: key }])
  })

  it('that are the same set, in another order, are a no-op: no version, no event, no audit entry', async () => {
    const organization = await given.shared()
    const { record, one, two } = await aTaggedRecord(kind, organization)
    given.clock.advance(1000)
    const facts = await factsOf(given, organization, async () => {
      for (const same of [
        [one, two],
        [two, one],
      ]) {
        const { status, meta } = await put(organization.client, kind, record, byId(same))
        expect([status, meta]).toEqual([200, { version: 2 }])
      }
    })
    expect(facts).toEqual(nothing)
    expect((await organization.client.get(`/${plurals[kind]}/${record.id}`)).data).toEqual(record)
  })

  it('that are the same set as one that is stored in another order are a no-op too', async () => {
    const organization = await given.shared()
    const { record, one, two } = await aTaggedRecord(kind, organization)
    const stored = [one, two].toSorted().toReversed()
    await given.sql(`update ${plurals[kind]} set tag_ids = $2 where id = $1`, [record.id, stored])
    expect((await put(organization.client, kind, record, byId([one, two]))).meta).toEqual({ version: 2 })
  })

  it('for a stale version are refused with the current one, also where they would change nothing', async () => {
    const organization = await given.shared()
    const { record, one, two, three } = await aTaggedRecord(kind, organization)
    for (const tags of [byId([three]), byId([one, two])]) {
      const answer = await put(organization.client, kind, record, tags, 1)
      expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 2 }])
    }
  })

  it('that do not exist are 404, naming the place of the first, before one that is gone and a stale version', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const gone = { externalId: await aRemovedTagKey(given, organization) }
    const tags = [gone, { id: organization.tag }, { externalId: 'nobody' }, { id: unknownId }]
    const answer = await put(organization.client, kind, record, tags, 7)
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: '/tags/2' }])
  })

  it.each(kinds)('of a %s by the key of a removed one are 410, naming its place, before a stale version', async of => {
    const organization = await given.shared()
    const record = await aRecord(of, organization)
    const gone = { externalId: await aRemovedTagKey(given, organization) }
    const answer = await put(organization.client, of, record, [{ id: organization.tag }, gone], 7)
    expect(outcome(answer)).toBe('410 external_reference_deleted')
    expect(answer.details).toEqual({ kind: 'tag', path: '/tags/1' })
  })

  it('twice by the same literal are refused: 400, also in capitals, whether or not the record exists', async () => {
    const { client, tag } = await given.shared()
    for (const tags of [byId([tag, tag.toUpperCase()]), [{ externalId: 'a' }, { externalId: 'a' }]]) {
      const answer = await put(client, kind, { id: unknownId, version: 1 }, tags)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/tags/1']])
    }
  })

  it('twice by id and key of one tag are refused: 422', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const id = await aTag(given, organization, { key: `twice-${record.id}` })
    const answer = await put(organization.client, kind, record, [{ id }, { externalId: `twice-${record.id}` }])
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/tags/1']])
  })

  it('are at most 100: 101 are refused', async () => {
    const organization = await given.organization()
    await given.sql(
      `insert into tags (organization_id, id, name, kinds, created_at)
       select $1, gen_random_uuid(), 'Tag ' || number, $2, now() from generate_series(1, 100) number`,
      [organization.id, kinds],
    )
    const all = await given.sql('select id from tags where organization_id = $1', [organization.id])
    const ids = all.map(({ id }) => String(id))
    const record = await aRecord(kind, organization)
    const tooMany = await put(organization.client, kind, record, byId(ids))
    expect([outcome(tooMany), issuePaths(tooMany)]).toEqual(['400 validation_error', ['/tags']])
    const { status, items } = await put(organization.client, kind, record, byId(ids.slice(1)))
    expect([status, items.length]).toEqual([200, 100])
    expect((await organization.client.get(pathOf(kind, record))).items).toEqual(items)
  })

  it.each([
    ['null', null],
    ['no list', { id: unknownId }],
    ['ids alone', [unknownId]],
    ['a reference without a key', [{}]],
    ['a reference with both keys', [{ id: unknownId, externalId: 'a' }]],
    ['a malformed id', [{ id: 'nonsense' }]],
    ['an empty key', [{ externalId: '' }]],
  ])('refuse %s: 400', async (_, tags) => {
    const { client } = await given.shared()
    const answer = await put(client, kind, { id: unknownId, version: 1 }, tags)
    expect(outcome(answer)).toBe('400 validation_error')
    for (const path of issuePaths(answer)) expect(String(path)).toMatch(/^\/tags(\/0|$)/u)
  })

  it('and the version are both required', async () => {
    const { client } = await given.shared()
    const answer = await client.put(pathOf(kind, { id: unknownId }), {})
    expect(issuePaths(answer).toSorted()).toEqual(['/expectedVersion', '/tags'])
  })

  it('set by two clients at once for one version are those of one of them, and the other gets a 409', async () => {
    const organization = await given.shared()
    const { client } = await organization.application()
    const { record, one, two, three } = await aTaggedRecord(kind, organization)
    const sets = [byId([one]), byId([two, three])]
    const answers = await Promise.all([
      put(organization.client, kind, record, sets[0]),
      put(client, kind, record, sets[1]),
    ])
    expect(answers.map(outcome).toSorted()).toEqual(['200', '409 version_conflict'])
    const winner = answers.find(({ status }) => status === 200)
    const now = await organization.client.get(pathOf(kind, record))
    expect(now.items.map(({ id }) => id)).toEqual(winner?.items.map(({ id }) => id))
    expect(now.meta).toEqual({ version: 3 })
  })

  it('can be those that were configured a moment ago, and no longer those that were removed', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    await put(organization.client, kind, record, [])
    const id = await aTag(given, organization)
    expect((await put(organization.client, kind, record, [{ id }])).status).toBe(200)
    const other = await aTag(given, organization)
    await given.sql('delete from tags where id = $1', [other])
    expect(outcome(await put(organization.client, kind, record, [{ id: other }], 2))).toBe('404 not_found')
  })

  it('wait for a tag that is just being removed, and are then refused', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const id = await aTag(given, organization)
    const removal = await given.api.services.database.begin()
    await removal.query(statement('test_remove_tag', 'delete from tags where organization_id = $1 and id = $2'), [
      organization.id,
      id,
    ])
    const answer = put(organization.client, kind, record, [{ id }])
    const first = await Promise.race([answer, new Promise(resolve => setTimeout(resolve, 200, 'waits'))])
    expect(first).toBe('waits')
    await removal.commit()
    expect(outcome(await answer)).toBe('404 not_found')
    expect((await organization.client.get(pathOf(kind, record))).meta).toEqual({ version: 1 })
  })
})

describe('the tags of a deal', () => {
  it('leave an entry in its event feed with the added and the removed ones', async () => {
    const organization = await given.shared()
    const { record, one, two, three } = await aTaggedRecord('deal', organization)
    await put(organization.client, 'deal', record, byId([three, one]))
    const events = (await dealEvents(given, record.id)).slice(1)
    expect(events).toEqual([
      { kind: 'deal.tags_changed', deal_version: '2', data: { added: [one, two].toSorted(), removed: [] } },
      { kind: 'deal.tags_changed', deal_version: '3', data: { added: [three], removed: [two] } },
    ])
  })
})

describe('the tags of an anonymized contact', () => {
  it('are 410, after a tag that does not exist and before a stale version', async () => {
    const organization = await given.shared()
    const record = await aRecord('contact', organization)
    await erase(organization, record.id, 'anonymize')
    const { client, tag } = organization
    expect(outcome(await client.get(pathOf('contact', record)))).toBe('410 resource_deleted')
    expect(outcome(await put(client, 'contact', record, [{ id: unknownId }], 7))).toBe('404 not_found')
    expect(outcome(await put(client, 'contact', record, [{ id: tag }], 7))).toBe('410 resource_deleted')
  })
})

describe.each(['anonymize', 'full'] as const)('a stored answer that holds tags of a contact, after mode %s', mode => {
  it('is given up with the person: it replays as 410', async () => {
    const organization = await given.shared()
    const { client, tag } = organization
    const person = await aPerson(organization)
    const replace = () =>
      client.put(pathOf('contact', person), { expectedVersion: 1, tags: [{ id: tag }] }, { key: `tags-${person.id}` })
    expect((await replace()).status).toBe(200)
    await erase(organization, person.id, mode, 2)
    expect(outcome(await replace())).toBe('410 resource_deleted')
  })
})

describe('tagIds of a record', () => {
  it.each(kinds)('are absent from a %s without crm_tags_read, and its tags are 403', async kind => {
    const organization = await given.shared()
    const { record } = await aTaggedRecord(kind, organization)
    const client = await organization.token(allBut('crm_tags_read'))
    const { data, meta } = await client.get(`/${plurals[kind]}/${record.id}`)
    expect([Object.keys(data).includes('tagIds'), meta]).toEqual([false, { redacted: ['tags'] }])
    expect(outcome(await client.get(pathOf(kind, record)))).toBe('403 insufficient_scope')
    expect(outcome(await put(client, kind, record, []))).toBe('403 insufficient_scope')
  })
})
