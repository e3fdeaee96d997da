import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { CursorStore, FeedStep } from '../../packages/sdk/src/index.ts'
import { raiseEpochOf } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { until } from '../support/waiting.ts'
import { aCuttingProxy, cutOneIn } from './support/cutting-proxy.ts'
import { useOrganizations } from './support/given.ts'

const given = useOrganizations()

beforeEach(() => vi.restoreAllMocks())

const instant = { now: () => performance.now(), sleep: () => Promise.resolve(), timeout: () => () => {} }

async function createContacts(count: number, prefix = 'person'): Promise<void> {
  const items = Array.from({ length: count }, (_, at) => aContact({ externalId: `${prefix}-${at}` }))
  for (let at = 0; at < count; at += 100)
    expect(
      (await given.organization.client.post('/contacts/batch/upsert', { items: items.slice(at, at + 100) })).status,
    ).toBe(200)
}

const start = async () => String((await given.organization.client.get('/changes/cursor')).data.cursor)

/** The events of the first steps, up to a number of them. */
async function eventsOf<Event>(steps: AsyncIterable<FeedStep<Event>>, count: number) {
  const found: Event[] = []
  let last = ''
  for await (const { events, cursor } of steps) {
    found.push(...events)
    last = cursor
    if (found.length >= count) break
  }
  return { events: found, cursor: last }
}

/** A `fetch` that changes the bodies of answers of the feed. */
function changing(alter: (body: { data: unknown[]; meta: Record<string, unknown> }) => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    const body = JSON.parse(await answer.text())
    if (String(input).includes('/changes?')) alter(body)
    return Response.json(body, { status: answer.status, headers: { 'x-request-id': 'altered' } })
  }
}

describe('the feed', () => {
  test('is followed field by field through a connection that is often cut, by programs that end and go on', async () => {
    const begin = await start()
    await createContacts(450)
    const proxy = await aCuttingProxy(given.api.url, cutOneIn(3))
    const followed = () => given.crm({ url: proxy.url }).changes
    const first = await eventsOf(followed().follow(begin, { limit: 40 }), 200)
    const second = await eventsOf(followed().follow(first.cursor, { limit: 40 }), 450 - first.events.length)

    const plain = []
    for (let after = begin, hasMore = true; hasMore; ) {
      const { items, meta } = await given.organization.client.get(`/changes?after=${after}&limit=100`)
      plain.push(...items)
      after = String(meta.nextCursor)
      hasMore = meta.hasMore === true
    }
    expect([...first.events, ...second.events]).toEqual(plain)
    expect(plain).toHaveLength(450)
    expect(proxy.cuts()).toBeGreaterThan(3)
  })

  test('is waited for: an event arrives while the request is open', async () => {
    const waits = vi.spyOn(given.api.services.feedWaits, 'next')
    const steps = given.crm().changes.follow(null, { include: ['record'], resourceTypes: ['contact'] })
    expect((await steps.next()).value).toMatchObject({ events: [], reset: null })
    const next = steps.next()
    await until('a request that waits', () => waits.mock.calls.length > 0)
    await createContacts(1)
    expect((await next).value).toMatchObject({ events: [{ kind: 'contact.created', record: { version: 1 } }] })
    await steps.return()
  })

  test('shows that events were left out as a step without events, with a later cursor', async () => {
    const begin = await start()
    await createContacts(1)
    const steps = given.crm().changes.follow(begin, { resourceTypes: ['deal'], wait: 0 })
    const { value } = await steps.next()
    expect(value).toMatchObject({ events: [], reset: null })
    expect(value?.cursor).not.toBe(begin)
    await steps.return()
  })

  test('ends with the reason of the signal while it waits', async () => {
    const waits = vi.spyOn(given.api.services.feedWaits, 'next')
    const stopping = new AbortController()
    const steps = given.crm().changes.follow(await start(), { signal: stopping.signal })
    const next = steps.next()
    await until('a request that waits', () => waits.mock.calls.length > 0)
    stopping.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })

  test('of a server that cannot wait is polled', async () => {
    const begin = await start()
    let refused = 0
    const slept: number[] = []
    const crm = given.crm({
      fetch: async (input, init) => {
        if (!String(input).includes('wait=')) return fetch(input, init)
        refused += 1
        const error = {
          code: 'validation_error',
          message: 'There is no parameter wait',
          requestId: 'r',
          details: { issues: [{ path: 'query:wait', rule: 'unknown', message: '' }] },
        }
        return Response.json({ error }, { status: 400 })
      },
      clock: {
        ...instant,
        sleep: async milliseconds => {
          slept.push(milliseconds)
          await createContacts(1, `polled-${slept.length}`)
        },
      },
    })
    expect((await eventsOf(crm.changes.follow(begin), 2)).events).toHaveLength(2)
    expect([refused, slept]).toEqual([1, [5000, 5000]])
  })
})

describe('a gap is thrown', () => {
  test.each([
    ['an event is missing', (body: { data: unknown[] }) => void body.data.splice(1, 1)],
    ['an event comes twice', ({ data }: { data: unknown[] }) => void data.splice(1, 1, data[0])],
    [
      'numbers are neither shown nor counted',
      ({ data, meta }: { data: unknown[]; meta: Record<string, unknown> }) => {
        data.pop()
        Object.assign(meta, { range: { ...Object(meta.range), matched: data.length } })
      },
    ],
    ['the answer does not tell its numbers', ({ meta }: { meta: Record<string, unknown> }) => void delete meta.range],
  ])('if %s', async (_, alter) => {
    const begin = await start()
    await createContacts(5)
    const steps = given.crm({ fetch: changing(alter) }).changes.follow(begin)
    await expect(steps.next()).rejects.toMatchObject({ name: 'FeedGap', code: 'feed_gap', requestId: 'altered' })
  })

  test('if a page does not begin where the one before ended', async () => {
    const begin = await start()
    await createContacts(6)
    let pages = 0
    const skipping: typeof fetch = async (input, init) => {
      pages += 1
      // The second page is read and withheld: the program gets the third.
      if (pages !== 2) return fetch(input, init)
      const { meta } = JSON.parse(await (await fetch(input, init)).text())
      const url = new URL(String(input))
      url.searchParams.set('after', meta.nextCursor)
      return fetch(url, init)
    }
    const steps = given.crm({ fetch: skipping }).changes.follow(begin, { limit: 2 })
    await steps.next()
    await expect(steps.next()).rejects.toThrow('the change feed has a gap: a page begins after 4, not after 2')
  })
})

describe('a feed whose events are gone', () => {
  test('is told by a step with a reset, and goes on behind it', async () => {
    const begin = await start()
    await createContacts(1)
    await given.api.test.database.query(raiseEpochOf, [given.organization.id])
    const steps = given.crm().changes.follow(begin)
    const { value } = await steps.next()
    expect(value).toMatchObject({ events: [], reset: { resync: expect.any(String) } })
    await createContacts(1, 'later')
    expect((await steps.next()).value).toMatchObject({ events: [{ externalId: 'later-0' }], reset: null })
    await steps.return()
  })

  test('makes a copy load again, and the copy equals the server', async () => {
    const crm = given.crm()
    const copy = new Map<string, number>()
    let stored: string | null = null
    let loads = 0
    const store: CursorStore = { read: () => stored, write: cursor => void (stored = cursor) }
    const load = async () => {
      loads += 1
      copy.clear()
      for await (const { id, version } of crm.contacts.list()) copy.set(id, version)
    }
    const run = (isEnough: () => boolean) => {
      const stopping = new AbortController()
      const apply = (events: readonly { resourceId: string; version: number | null }[]) => {
        for (const { resourceId, version } of events) copy.set(resourceId, version ?? 0)
      }
      const running = crm.synchronize({ load, apply, store }, { signal: stopping.signal })
      const ended = running.catch((error: unknown) => error)
      return until('the copy', isEnough).then(() => {
        stopping.abort(new Error('enough'))
        return ended
      })
    }

    await createContacts(3)
    const first = run(() => copy.size === 5)
    await until('the first cursor', () => stored)
    await createContacts(2, 'second')
    expect(await first).toMatchObject({ message: 'enough' })
    await createContacts(2, 'third')
    await run(() => copy.size === 7)
    expect(loads).toBe(1)

    await given.api.test.database.query(raiseEpochOf, [given.organization.id])
    await createContacts(1, 'fourth')
    await run(() => copy.size === 8)
    expect(loads).toBe(2)
    const { items } = await given.organization.client.get('/contacts?limit=100')
    expect(new Map(items.map(({ id, version }) => [id, version]))).toEqual(copy)
  })
})

test('a follower that has begun waits while the server is away, and one that has not says so', async () => {
  const begin = await start()
  await createContacts(1)
  let isAway = false
  const away: typeof fetch = (input, init) =>
    isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)
  let rests = 0
  const sleep = () => {
    rests += 1
    if (rests === 40) isAway = false
    return Promise.resolve()
  }
  const crm = given.crm({ fetch: away, clock: { ...instant, sleep } })
  const steps = crm.changes.follow(begin)
  await steps.next()
  isAway = true
  await createContacts(1, 'later')
  expect((await steps.next()).value).toMatchObject({ events: [{ externalId: 'later-0' }] })
  await steps.return()
  isAway = true
  await expect(crm.changes.follow(begin).next()).rejects.toMatchObject({ name: 'ConnectionLost' })
})
