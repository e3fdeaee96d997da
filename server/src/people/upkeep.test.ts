import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { statement } from '../kernel/sql/index.ts'
import { removeOldAccountRows } from './upkeep.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const day = 86_400_000
const now = Date.parse('2031-01-01T00:00:00Z')
const ago = (milliseconds: number) => new Date(now - milliseconds).toISOString()

const selectKept = statement(
  'test_kept_account_rows',
  `select (select array_agg(e.event order by e.event) from account_events e where e.event like 'test%') as events,
          (select array_agg(l.name order by l.name) from user_links l) as links,
          (select array_agg(f.origin order by f.origin) from sign_in_failures f) as failures,
          (select array_agg(s.browser order by s.browser) from sessions s) as sessions`,
)

it('removes what is old and ended of accounts, and keeps the rest', async () => {
  const user = '01980000-0000-7000-8000-000000000001'
  const event = (name: string, at: number) => `(gen_random_uuid(), '${ago(at)}', 'test ${name}')`
  const link = (name: string, end: number, used: number | null) =>
    `(decode(md5('${name}'), 'hex'), 'reset', 'a@example.com', '${name}', '2030-01-01', '${ago(end)}',
      ${used === null ? 'null' : `'${ago(used)}'`})`
  const failure = (origin: string, at: number, next: number) =>
    `('\\x01', '${origin}', 1, '${ago(at)}', '${ago(next)}')`
  const session = (browser: string, seen: number, end: number) =>
    `(gen_random_uuid(), decode(md5('${browser}'), 'hex'), '${user}', '2030-01-01', '${ago(seen)}', '2030-01-01', '${ago(end)}', 'loopback',
      '${browser}')`
  await api.test.database.script(`
    insert into users (id, email, name, created_at, updated_at) values ('${user}', 'a@example.com', 'Ann', now(), now());
    insert into account_events (id, occurred_at, event) values ${event('old', 90 * day + 1)}, ${event('new', 90 * day - 1)};
    insert into user_links (secret_hash, kind, email, name, created_at, expires_at, used_at)
      values ${link('used', -day, 7 * day + 1)}, ${link('expired', 7 * day + 1, null)}, ${link('just used', -day, 1)},
             ${link('open', -day, null)};
    insert into sign_in_failures values ${failure('old', day + 1, day + 1)}, ${failure('waits', 2 * day, -1)}, ${failure('new', 1, 1)};
    insert into sessions values ${session('ended', 0, 1)}, ${session('unused', 12 * 3_600_000 + 1, -day)}, ${session('used', 1, -day)}`)
  const services = { ...api.services, clock: { now: () => now } }
  const { removed } = await removeOldAccountRows.run(services, new AbortController().signal)
  expect(removed).toEqual({ accountEvents: 1, links: 2, signInFailures: 1, sessions: 2 })
  expect(await api.test.database.query(selectKept, [])).toEqual([
    { events: ['test new'], links: ['just used', 'open'], failures: ['new', 'waits'], sessions: ['used'] },
  ])
})
