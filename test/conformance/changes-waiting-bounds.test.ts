import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { requestText, Wire } from '../process/support/wire.ts'
import { startApi, type TestApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { aRecord } from './support/requests.ts'
import { aWait, endOfFeed, expectWaiting } from './support/waiting-requests.ts'

/** Fewer connections than requests that wait. */
const connections = 4
const perOrganization: number = bounds.organizationWaits.most

let api: TestApi
beforeAll(async () => {
  api = await startApi({ connections })
})
afterAll(async () => {
  await api.close()
  expect(api.failures).toEqual([])
})

/** As many requests of an organization as may wait. */
async function allWaits(organization: TestOrganization, count = perOrganization) {
  const before = api.services.admission.usage().processWaits ?? 0
  const after = await endOfFeed(organization.client)
  const answers = Array.from({ length: count }, () => organization.client.get(`/changes?after=${after}&wait=30`))
  await expectWaiting(api, before + count)
  return answers
}

/** What a request with `wait` is told that finds no place. */
async function askWithoutRoom(client: Client, query = '') {
  const { status, items, meta, headers } = await client.get(`/changes?after=${await endOfFeed(client)}&wait=30${query}`)
  return { status, items, waited: meta.waited, retryAfter: headers.get('retry-after') }
}

const noRoom = { status: 200, items: [], waited: false, retryAfter: '1' }

describe('requests that wait', () => {
  it('are ten of an organization at a time; one more is answered at once, and others have places of their own', async () => {
    const [ours, theirs] = [await anOrganization(api), await anOrganization(api)]
    const answers = await allWaits(ours)
    expect(await askWithoutRoom(ours.client)).toEqual(noRoom)
    expect(await askWithoutRoom(ours.client, '&include=record')).toEqual(noRoom)
    const their = await aWait(api, theirs.client)
    await aRecord('contact', theirs)
    expect((await their.answer).items).toHaveLength(1)
    await expectWaiting(api, perOrganization)
    await aRecord('contact', ours)
    for (const { items, meta } of await Promise.all(answers)) expect([items.length, meta.waited]).toEqual([1, true])
    const next = await aWait(api, ours.client)
    await aRecord('contact', ours)
    await next.answer
  })

  it('are limited in each process too', async () => {
    setBound(bounds.processWaits, 2)
    const [ours, theirs] = [await anOrganization(api), await anOrganization(api)]
    const answers = await allWaits(ours, 2)
    expect(await askWithoutRoom(theirs.client)).toEqual(noRoom)
    await aRecord('contact', ours)
    await Promise.all(answers)
  })

  it('hold no connection to the database: more of them than connections wait, and others read and write', async () => {
    const waiting = await Promise.all(Array.from({ length: 3 }, () => anOrganization(api)))
    const answers: Awaited<ReturnType<typeof allWaits>> = []
    for (const organization of waiting) answers.push(...(await allWaits(organization)))
    expect(answers.length).toBeGreaterThan(connections)
    const points = () => api.services.database.usage().find(({ pool }) => pool === 'points')
    await expect.poll(() => (points()?.total ?? 0) - (points()?.idle ?? 0)).toBe(0)
    const other = await anOrganization(api)
    const { id } = await aRecord('company', other)
    expect((await other.client.get(`/companies/${id}`)).status).toBe(200)
    for (const organization of waiting) await aRecord('contact', organization)
    for (const { items } of await Promise.all(answers)) expect(items).toHaveLength(1)
  })

  it('share one read of the feed for each commit, however many they are', async () => {
    const organization = await anOrganization(api)
    const { feedTails } = api.services
    const answers = await allWaits(organization)
    const before = feedTails.reads
    await aRecord('contact', organization)
    await Promise.all(answers)
    // One after the commit, and at most one that a look at the heads has led to.
    expect(feedTails.reads - before).toBeLessThanOrEqual(2)
  })

  it('free their places as soon as their clients leave', async () => {
    const { client } = await anOrganization(api)
    const url = `${api.url}/api/v1/crm/changes?wait=30&after=${await endOfFeed(client)}`
    const call = get(url, { agent: false, headers: { authorization: `Bearer ${client.token}` } })
    call.on('error', () => {})
    await expectWaiting(api, 1)
    call.destroy()
    await expectWaiting(api, 0)
    await expect.poll(() => api.services.admission.usage().processRequests).toBe(0)
  })

  it('are answered with an empty page when their clients close their half of the connection', async () => {
    const { client } = await anOrganization(api)
    const path = `/api/v1/crm/changes?wait=30&after=${await endOfFeed(client)}`
    const wire = await Wire.open(api.url)
    wire.send(requestText('GET', path, { authorization: `Bearer ${client.token}` }))
    await expectWaiting(api, 1)
    wire.sendNoMore()
    const [answer] = await wire.answered()
    expect([answer?.status, answer?.body]).toMatchObject([200, { data: [], meta: { waited: true } }])
  })

  it('are answered before the later requests of their connections', async () => {
    const organization = await anOrganization(api)
    const { client } = organization
    const headers = { authorization: `Bearer ${client.token}` }
    const wire = await Wire.open(api.url)
    const path = `/api/v1/crm/changes?wait=30&after=${await endOfFeed(client)}`
    wire.send(requestText('GET', path, headers) + requestText('GET', '/api/v1/crm/changes/cursor', headers))
    await expectWaiting(api, 1)
    // One that came later, over a connection of its own, is not held up.
    await aRecord('contact', organization)
    const [waited, later] = await wire.answered(2)
    expect([waited?.body, later?.body]).toMatchObject([{ meta: { waited: true } }, { data: { seq: 1 } }])
    wire.hangUp()
  })

  it('leave nothing behind: a feed that nobody follows is forgotten', async () => {
    const { client } = await anOrganization(api)
    expect((await client.get(`/changes?after=${await endOfFeed(client)}&wait=1`)).meta.waited).toBe(true)
    await expect.poll(() => api.services.feedTails.followed).toBe(0)
  })
})

describe('a server that stops', () => {
  it('answers all requests that wait with an empty page, and lets none wait any more', async () => {
    const stopping = await startApi({ beside: api })
    const { client } = await anOrganization(stopping)
    const { answer } = await aWait(stopping, client)
    stopping.services.feedWaits.end()
    const { status, items, meta } = await answer
    expect([status, items, meta.waited]).toEqual([200, [], true])
    expect(await askWithoutRoom(client)).toEqual(noRoom)
    await stopping.close()
  })
})
