import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bounds, Counters } from '../../server/src/kernel/limits/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { RedisServer } from './redis-server.ts'

describe('rate limits of two nodes with one Redis', () => {
  const clock = new TestClock()
  const limit = 10
  let redis: RedisServer
  let node: TestApi
  let otherNode: TestApi
  let organization: TestOrganization
  let clients: readonly [Client, Client]

  beforeAll(async () => {
    redis = await RedisServer.start()
    node = await startApi({ clock, redisUrl: redis.url })
    otherNode = await startApi({ clock, redisUrl: redis.url, beside: node })
  })
  afterAll(async () => {
    await otherNode?.close()
    await node?.close()
    await redis?.remove()
  })
  beforeEach(async () => {
    // A window of its own for each test.
    clock.advance(60_000)
    organization = await anOrganization(node, { rates: limit })
    clients = [organization.client, new Client(otherNode.url, organization.client.token)]
  })

  const clientOf = (index: number) => clients[index % 2 === 0 ? 0 : 1]

  test('requests to both count in one counter', async () => {
    for (let sent = 1; sent <= limit; sent += 1) {
      const { status, headers } = await clientOf(sent).get('/contacts')
      expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(limit - sent)])
    }
    for (const client of clients) {
      const refused = await client.get('/contacts')
      expect([refused.status, refused.error.code]).toEqual([429, 'rate_limit_exceeded'])
      expect(refused.headers.get('retry-after')).toBe('30')
    }
  })

  test('both nodes together admit the limit when requests come at the same time', async () => {
    const requests = Array.from({ length: 4 * limit }, (_, index) => clientOf(index).post('/contacts', aContact()))
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(limit)
    expect(statuses.filter(status => status === 429)).toHaveLength(3 * limit)
    expect(await countContacts()).toBe(limit)
  })

  test('an answer that came while the process was busy counts', async () => {
    await withCounters(async counters => {
      const added = counters.add('busy')
      const begin = performance.now()
      while (performance.now() - begin < 2 * bounds.count.most);
      expect(await added).toBe(1)
    })
  })

  test('a silent Redis gets no more commands beyond the bound', async () => {
    await withCounters(async counters => {
      redis.freeze()
      const added = Array.from({ length: bounds.counts.most + 10 }, () => counters.add('silent'))
      expect(new Set(await Promise.all(added))).toEqual(new Set([null]))
      redis.resume()
      await until('the counts that were asked for', () => counters.isReady())
      expect(await counters.add('silent')).toBe(bounds.counts.most + 1)
    })
  })

  test('failed authentications of one address count in one counter', async () => {
    const statuses: number[] = []
    for (let sent = 0; sent < 40; sent += 1) statuses.push((await guess(sent % 2 === 0 ? node : otherNode)).status)
    expect(statuses.filter(status => status === 401)).toHaveLength(30)
    expect(statuses.slice(30)).toEqual(Array.from({ length: 10 }, () => 429))
  })

  for (const [name, away, back] of [
    ['is gone', () => redis.stop(), () => redis.start()],
    ['says nothing', () => redis.freeze(), () => redis.resume()],
  ] as const) {
    test(`while Redis ${name} nothing is let in, and all works again when it is back`, async () => {
      const key = randomUUID()
      const body = aContact()
      expect((await clientOf(0).get('/contacts')).status).toBe(200)

      await away()
      for (const client of clients) {
        const refused = await client.post('/contacts', body, { key })
        expect([refused.status, refused.error.code]).toEqual([503, 'rate_limiter_unavailable'])
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect((await client.get('/contacts')).status).toBe(503)
      }
      expect(await countContacts()).toBe(0)
      // A wrong token is refused as always; that nobody counts it is no reason to tell more.
      for (const api of [node, otherNode]) expect((await guess(api)).error.code).toBe('invalid_token')

      await back()
      for (const client of clients) await untilServed(client)
      // The refused request took no effect and left nothing behind, so its key is free.
      const created = await clientOf(1).post('/contacts', body, { key })
      expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect(await countContacts()).toBe(1)
    })
  }

  test('nothing failed inside in all of this', () => {
    expect([...node.failures, ...otherNode.failures]).toEqual([])
  })

  async function withCounters(use: (counters: Counters) => Promise<void>): Promise<void> {
    const counters = new Counters(clock, redis.url)
    await counters.start()
    try {
      await use(counters)
    } finally {
      await counters.close()
    }
  }

  function guess(api: TestApi): Promise<Answer> {
    return new Client(api.url, 'no token').get('/contacts')
  }

  async function untilServed(client: Client): Promise<void> {
    await until('a node that finds Redis again', async () => (await client.get('/changes/cursor')).status !== 503, 5000)
  }

  async function countContacts(): Promise<number> {
    const count = statement('test_count_contacts', 'select count(*) as count from contacts where organization_id = $1')
    return Number((await node.test.database.search(count, [organization.id]))[0]?.count)
  }
})
