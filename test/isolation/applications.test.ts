import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { aBody, aRecord, type Kind, kinds, outcome, plurals } from '../conformance/support/requests.ts'
import type { Client } from '../support/client.ts'

const given = useApi()

async function twoApplications() {
  const organization = await given.organization()
  const { id, client } = await organization.application()
  return { organization, one: organization.client, two: client, twoId: id }
}

describe.each(kinds)('two applications of one organization and a %s', kind => {
  const path = `/${plurals[kind]}`

  it('share the record: both read it, and each sees the changes of the other', async () => {
    const { organization, one, two } = await twoApplications()
    const { id } = await aRecord(kind, organization)
    const { status, data } = await two.patch(`${path}/${id}`, { expectedVersion: 1, description: 'by two' })
    expect([status, data.version]).toEqual([200, 2])
    expect((await one.get(`${path}/${id}`)).data).toMatchObject({ description: 'by two', version: 2 })
    expect((await two.get(path)).items.map(item => item.id)).toContain(id)
  })

  it('have keys of their own for it, and do not see each other’s', async () => {
    const { organization, one, two } = await twoApplications()
    const { id, externalId } = await aRecord(kind, organization)
    expect((await two.get(`${path}/${id}`)).data.externalId).toBeNull()
    expect((await two.get(`${path}?externalId=${externalId}`)).items).toEqual([])
    await two.patch(`${path}/${id}`, { expectedVersion: 1, externalId: 'two-42' })
    const keyFor = async (client: Client) => (await client.get(`${path}/${id}`)).data.externalId
    expect([await keyFor(one), await keyFor(two)]).toEqual([externalId, 'two-42'])
    expect((await one.get(`${path}?externalId=two-42`)).items).toEqual([])
    expect((await two.get(`${path}?externalId=two-42`)).items.map(item => item.id)).toEqual([id])
  })

  it('may use one key for different records', async () => {
    const { organization, one, two } = await twoApplications()
    const body = await aBody(kind, organization, { externalId: 'shared-42' })
    const first = await one.post(path, body)
    const second = await two.post(path, body)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.data.id).not.toBe(first.data.id)
    const upserted = await two.post(`${path}/upsert`, {
      externalId: 'shared-42',
      expectedVersion: 1,
      description: 'two',
    })
    expect(upserted.data).toMatchObject({ id: second.data.id, version: 2 })
    expect((await one.get(`${path}/${first.data.id}`)).data.version).toBe(1)
  })

  it('clear only their own key', async () => {
    const { organization, one, two } = await twoApplications()
    const { id, externalId } = await aRecord(kind, organization)
    await two.patch(`${path}/${id}`, { expectedVersion: 1, externalId: 'two-42' })
    await two.patch(`${path}/${id}`, { expectedVersion: 2, externalId: null })
    expect((await one.get(`${path}/${id}`)).data.externalId).toBe(externalId)
    expect((await two.get(`${path}/${id}`)).data.externalId).toBeNull()
  })

  it('resolve references by their own keys', async () => {
    const { organization, one, two } = await twoApplications()
    const { externalId } = await aRecord(kind, organization)
    const ways: Readonly<Record<Kind, readonly (readonly [string, JsonObject])[]>> = {
      contact: [
        ['/deals', { title: 'x', contacts: [{ externalId }] }],
        ['/tasks', { title: 'x', contact: { externalId } }],
      ],
      company: [
        ['/deals', { title: 'x', companies: [{ externalId }] }],
        ['/tasks', { title: 'x', company: { externalId } }],
      ],
      deal: [['/tasks', { title: 'x', deal: { externalId } }]],
      // Nothing refers to tasks.
      task: [],
    }
    for (const [route, body] of ways[kind]) {
      expect((await one.post(route, body)).status).toBe(201)
      expect(outcome(await two.post(route, body))).toBe('404 not_found')
    }
    const upserted = { externalId, expectedVersion: 1 }
    expect((await one.post(`${path}/upsert`, upserted)).status).toBe(200)
    expect(outcome(await two.post(`${path}/upsert`, upserted))).toBe('409 version_conflict')
  })

  it('use one idempotency key for themselves', async () => {
    const { organization, one, two } = await twoApplications()
    const first = await one.post(path, await aBody(kind, organization), { key: 'mine' })
    const second = await two.post(path, await aBody(kind, organization), { key: 'mine' })
    expect([first.status, second.status]).toEqual([201, 201])
  })

  it('are distinguished as authors', async () => {
    const { organization, two, twoId } = await twoApplications()
    const start = String((await two.get('/changes/cursor')).data.cursor)
    const { data } = await two.post(
      path,
      await aBody(
        kind,
        organization,
        kind === 'deal' ? { companies: [{ id: (await aRecord('company', organization)).id }] } : {},
      ),
    )
    expect(data.createdByApplicationId).toBe(twoId)
    const { items } = await organization.client.get(`/changes?after=${start}&resourceTypes=${kind}`)
    expect(items.map(({ applicationId, externalId }) => [applicationId, externalId])).toEqual([[twoId, null]])
  })
})

describe('a batch get', () => {
  it('with the key of another application is 404, and by id finds the record without the key', async () => {
    const { organization, two } = await twoApplications()
    const { id, externalId } = await aRecord('contact', organization)
    const { items } = await two.post('/contacts/batch/get', { items: [{ externalId }, { id }] })
    expect(items).toMatchObject([{ status: 404 }, { status: 200, data: { id, externalId: null } }])
  })
})

describe('the events of a deal', () => {
  it('show the values of a key to its application alone', async () => {
    const { organization, one, two } = await twoApplications()
    const { id, externalId } = await aRecord('deal', organization)
    await one.patch(`/deals/${id}`, { expectedVersion: 1, externalId: 'one@example.com', title: 'Lamps' })
    await two.patch(`/deals/${id}`, { expectedVersion: 2, externalId: 'two-42' })
    const updatesFor = async (client: Client) =>
      (await client.get(`/deals/${id}/events`)).items.slice(0, 2).map(({ data }) => data)
    const both = { changedFields: ['externalId', 'title'] }
    expect(await updatesFor(one)).toEqual([
      { changedFields: ['externalId'], before: {}, after: {} },
      {
        ...both,
        before: { externalId, title: 'Two hundred chairs' },
        after: { externalId: 'one@example.com', title: 'Lamps' },
      },
    ])
    expect(await updatesFor(two)).toEqual([
      { changedFields: ['externalId'], before: { externalId: null }, after: { externalId: 'two-42' } },
      { ...both, before: { title: 'Two hundred chairs' }, after: { title: 'Lamps' } },
    ])
  })
})
