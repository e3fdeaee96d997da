import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aChangeOf, aPart, type Part, parts } from './support/parts.ts'
import { aRecord, outcome, partOf, unknownId } from './support/requests.ts'

const given = useApi()

const kindOf: Readonly<Record<Part, string>> = { activities: 'activity', items: 'item' }
const counts: Readonly<Record<Part, string>> = { activities: 'activitiesCount', items: 'itemsCount' }

const dealOf = async ({ client }: TestOrganization, { deal }: { deal: JsonObject }) =>
  (await client.get(`/deals/${deal.id}`)).data

describe.each(parts)('%s of a deal', part => {
  it('are added with version 1, and the answer has the new version of the deal', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const { status, data, meta } = await organization.client.post(`/deals/${id}/${part}`, aPart[part])
    expect([status, data.version, data.dealId, meta]).toEqual([201, 1, id, { dealVersion: 2 }])
    const deal = (await organization.client.get(`/deals/${id}`)).data
    expect([deal.version, deal[counts[part]]]).toEqual([2, 1])
  })

  it('are changed by their own version: theirs and that of the deal rise by one', async () => {
    const organization = await given.shared()
    const added = await partOf(organization, part)
    const body = { expectedVersion: 1, ...aChangeOf[part] }
    const { status, data, meta } = await organization.client.patch(added.path, body)
    expect([status, data.version, meta]).toEqual([200, 2, { dealVersion: 3 }])
    expect(data).toMatchObject(aChangeOf[part])
    expect((await dealOf(organization, added)).version).toBe(3)
    expect((await organization.client.get(added.collection)).items).toEqual([data])
  })

  it('are deleted by their own version, and are gone', async () => {
    const organization = await given.shared()
    const added = await partOf(organization, part)
    const { status, body } = await organization.client.delete(`${added.path}?expectedVersion=1`)
    expect([status, body]).toEqual([200, { data: { id: added.record.id, deleted: true }, meta: { dealVersion: 3 } }])
    expect((await dealOf(organization, added))[counts[part]]).toBe(0)
    expect((await organization.client.get(added.collection)).items).toEqual([])
    expect(outcome(await organization.client.delete(`${added.path}?expectedVersion=1`))).toBe('404 not_found')
    expect(outcome(await organization.client.patch(added.path, { expectedVersion: 1 }))).toBe('404 not_found')
  })

  it('take expectedVersion of a DELETE from the body as well', async () => {
    const organization = await given.shared()
    const { path } = await partOf(organization, part)
    expect(outcome(await organization.client.delete(path))).toBe('400 validation_error')
    expect((await organization.client.delete(path, { expectedVersion: 1 })).status).toBe(200)
  })

  it('are not changed by a change of nothing: no version, no event, no audit entry', async () => {
    const organization = await given.shared()
    const added = await partOf(organization, part)
    const facts = await factsOf(given, organization, async () => {
      for (const body of [{}, aPart[part]]) {
        const { type: _, ...same } = body
        const answer = await organization.client.patch(added.path, { expectedVersion: 1, ...same })
        expect([answer.status, answer.data, answer.meta]).toEqual([200, added.record, { dealVersion: 2 }])
      }
    })
    expect(facts).toEqual(nothing)
  })

  it('are refused with a stale version: 409 with their current one', async () => {
    const organization = await given.shared()
    const { path } = await partOf(organization, part)
    const patched = await organization.client.patch(path, { expectedVersion: 2, ...aChangeOf[part] })
    const deleted = await organization.client.delete(`${path}?expectedVersion=2`)
    for (const answer of [patched, deleted]) {
      expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
    }
  })

  it('cannot be changed without a version: 400', async () => {
    const organization = await given.shared()
    const { path } = await partOf(organization, part)
    for (const expectedVersion of [undefined, '1', 0, 1.5]) {
      const answer = await organization.client.patch(path, { expectedVersion, ...aChangeOf[part] })
      expect(outcome(answer)).toBe('400 validation_error')
    }
  })

  it('take no version and no externalId when they are added: 400', async () => {
    const organization = await given.shared()
    const { collection } = await partOf(organization, part)
    for (const extra of [{ expectedVersion: 1 }, { externalId: 'own' }, { dealId: unknownId }, { id: unknownId }]) {
      const answer = await organization.client.post(collection, { ...aPart[part], ...extra })
      expect(outcome(answer)).toBe('400 validation_error')
    }
  })

  it('are found below their own deal alone: 404 below another', async () => {
    const organization = await given.shared()
    const { record } = await partOf(organization, part)
    const { collection } = await partOf(organization, part)
    const path = `${collection}/${record.id}`
    expect(outcome(await organization.client.patch(path, { expectedVersion: 7 }))).toBe('404 not_found')
    expect(outcome(await organization.client.delete(`${path}?expectedVersion=7`))).toBe('404 not_found')
  })

  it('are 404 below a deal that is not there, also in a wrong form', async () => {
    const { client } = await given.shared()
    for (const id of [unknownId, 'deal-1']) {
      expect(outcome(await client.get(`/deals/${id}/${part}`))).toBe('404 not_found')
      expect(outcome(await client.post(`/deals/${id}/${part}`, aPart[part]))).toBe('404 not_found')
    }
    const { collection } = await partOf(await given.shared(), part)
    expect(outcome(await client.patch(`${collection}/first`, { expectedVersion: 1 }))).toBe('404 not_found')
  })

  it('go with their deal', async () => {
    const organization = await given.shared()
    const { deal, collection, path } = await partOf(organization, part)
    expect((await organization.client.delete(`/deals/${deal.id}?expectedVersion=2`)).status).toBe(200)
    expect(outcome(await organization.client.get(collection))).toBe('404 not_found')
    expect(outcome(await organization.client.patch(path, { expectedVersion: 1 }))).toBe('404 not_found')
    expect(await given.sql(`select from deal_${part} where deal_id = $1`, [deal.id])).toEqual([])
  })

  it('are added, changed and deleted once, however often the request is repeated', async () => {
    const organization = await given.shared()
    const { client } = organization
    const added = await partOf(organization, part)
    const requests = [
      ['POST', added.collection, aPart[part]],
      ['PATCH', added.path, { expectedVersion: 1, ...aChangeOf[part] }],
      ['DELETE', `${added.path}?expectedVersion=2`, undefined],
    ] as const
    for (const [method, path, body] of requests) {
      const key = `once-${method}-${added.record.id}`
      const first = await client.call(method, path, body, { key })
      const again = await client.call(method, path, body, { key })
      expect([again.status, again.body]).toEqual([first.status, first.body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
    }
    expect((await dealOf(organization, added)).version).toBe(5)
  })

  it('need a key of their own for another body: 409 idempotency_conflict', async () => {
    const organization = await given.shared()
    const { collection, record } = await partOf(organization, part)
    const key = `another-${record.id}`
    await organization.client.post(collection, aPart[part], { key })
    const { collection: other } = await partOf(organization, part)
    expect(outcome(await organization.client.post(other, aPart[part], { key }))).toBe('409 idempotency_conflict')
  })

  it('leave a replayed answer redacted for the token that asks', async () => {
    const organization = await given.shared()
    const { collection, record } = await partOf(organization, part)
    const key = `redacted-${record.id}`
    await organization.client.post(collection, aPart[part], { key })
    const writer = await organization.token(allBut('crm_deals_read'))
    const { status, data } = await writer.post(collection, aPart[part], { key })
    expect([status, Object.keys(data).toSorted()]).toEqual([201, ['id', 'version']])
  })

  it.each(['added', 'updated', 'deleted'])('leave one event of the deal in the change feed when %s', async verb => {
    const organization = await given.shared()
    const { client } = organization
    const added = await partOf(organization, part)
    const writes = {
      added: () => client.post(added.collection, aPart[part]),
      updated: () => client.patch(added.path, { expectedVersion: 1, ...aChangeOf[part] }),
      deleted: () => client.delete(`${added.path}?expectedVersion=1`),
    }
    const write = Object.entries(writes).find(([name]) => name === verb)?.[1]
    if (write === undefined) throw new Error(`nothing is ${verb}`)
    const { events, audit } = await factsOf(given, organization, write)
    const { id: resourceId, externalId } = added.deal
    expect(events).toMatchObject([
      { kind: 'deal.updated', operation: 'updated', resourceType: 'deal', resourceId, externalId, version: 3 },
    ])
    expect(events[0]?.changedFields).toContain(part)
    expect(audit).toMatchObject([{ action: 'deal.updated', resourceId, versions: [2, 3] }])
    const change = audit[0]?.changes.find(({ field }) => field === part)
    const guard = part === 'items' ? { guard: 'amounts' } : {}
    const states = { before: verb !== 'added', after: verb !== 'deleted' }
    expect(change).toMatchObject({ field: part, ...guard })
    expect([change?.before !== null, change?.after !== null]).toEqual([states.before, states.after])
  })

  it.each(['added', 'updated', 'deleted'])('leave one event in the feed of the deal when %s', async verb => {
    const organization = await given.shared()
    const { client } = organization
    const { collection, path, record, deal } = await partOf(organization, part)
    if (verb === 'updated') await client.patch(path, { expectedVersion: 1, ...aChangeOf[part] })
    if (verb === 'deleted') await client.delete(`${path}?expectedVersion=1`)
    const { items } = await client.get(`/deals/${deal.id}/events`)
    const shown = verb === 'updated' ? (await client.get(collection)).items[0] : record
    const data =
      part === 'items'
        ? { itemId: record.id, name: record.name, total: shown?.total }
        : { activityId: record.id, type: record.type }
    const dealVersion = verb === 'added' ? 2 : 3
    expect(items[0]).toMatchObject({ kind: `deal.${kindOf[part]}_${verb}`, dealId: deal.id, dealVersion, data })
  })
})
