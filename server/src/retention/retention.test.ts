import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { aContact } from '../../../test/support/builders.ts'
import { anOrganization, type TestOrganization } from '../../../test/support/organization.ts'
import { until } from '../../../test/support/waiting.ts'
import { statement } from '../kernel/sql/index.ts'
import { removeExpired } from './remove-expired.ts'

const day = 86_400_000
const now = Date.now()
const clock = { now: () => now }

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi({})
})
afterAll(() => api.close())
beforeEach(async () => {
  organization = await anOrganization(api)
})

let texts = 0
const sql = (text: string, values: readonly unknown[] = []) =>
  api.test.database.search(statement(`test_retention_${(texts += 1)}`, text), values)

/** What one run removed, and skipped. */
async function run() {
  const { removed, skipped } = await removeExpired.run({ ...api.services, clock }, new AbortController().signal)
  return { ...removed, skipped }
}

/** So many events and audit entries, each some days old, the oldest first. */
async function aPast(...ages: number[]): Promise<void> {
  const times = ages.map(age => new Date(now - age * day).toISOString())
  const { id } = organization
  await sql(
    `insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, changed_fields,
       occurred_at, actor_type, request_id, transaction_id)
     select $1, n, gen_random_uuid(), 'contact.created', 'contact', gen_random_uuid(), 'created', '{}', t, 'system', $1, $1
       from unnest($2::timestamptz[]) with ordinality as times(t, n)`,
    [id, times],
  )
  await sql('update organization_feed set seq = $2 where organization_id = $1', [id, ages.length])
  await sql(
    `insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type,
       request_id, changes)
     select $1, (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7000-8000-' || lpad(n::text, 12, '0'))::uuid, t, 'contact', $1,
            'contact.created', 'system', $1, '[]'
       from unnest($2::timestamptz[]) with ordinality as times(t, n)
      cross join lateral (select lpad(to_hex((extract(epoch from t) * 1000)::bigint), 12, '0') as h) as hex`,
    [id, times],
  )
}

const seqs = async () =>
  (await sql('select seq from changes where organization_id = $1 order by seq', [organization.id])).map(row =>
    Number(row.seq),
  )

describe('change events', () => {
  it('are removed as a whole prefix: an event behind a young one stays', async () => {
    await aPast(40, 35, 31, 29, 33, 1)
    expect(await run()).toMatchObject({ changes: 3 })
    expect(await seqs()).toEqual([4, 5, 6])
    expect(await run()).toMatchObject({ changes: 0 })
  })

  it('are gone for an older cursor: 410 with the range that is left, and a new start', async () => {
    const { client } = organization
    const start = String((await client.get('/changes/cursor')).data.cursor)
    await aPast(40, 31, 29, 1)
    const early = String((await client.get(`/changes?after=${start}&limit=2`)).meta.nextCursor)
    await run()
    const expired = await client.get(`/changes?after=${start}`)
    expect([expired.status, expired.error.code]).toEqual([410, 'cursor_expired'])
    expect(expired.details).toMatchObject({
      oldestSeq: 3,
      oldestAt: new Date(now - 29 * day).toISOString(),
      retentionSeconds: 30 * 86_400,
    })
    expect((await client.get(`/changes?after=${early}`)).items.map(({ seq }) => seq)).toEqual([3, 4])
  })

  it('are removed in portions, and all of them may go', async () => {
    await aPast(...Array.from({ length: 4500 }, () => 31))
    expect(await run()).toMatchObject({ changes: 4500 })
    const position = await organization.client.get('/changes/cursor')
    expect(position.data.seq).toBe(4500)
    expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
    const { items } = await organization.client.get(`/changes?after=${position.data.cursor}`)
    expect(items.map(({ seq }) => seq)).toEqual([4501])
  })

  it('are removed with the keys of removed records', async () => {
    await sql(
      `insert into change_keys (organization_id, application_id, resource_id, key, removed_at)
       select $1, $2, gen_random_uuid(), n::text, case when n % 2 = 0 then $3::timestamptz else $4::timestamptz end
         from generate_series(1, 4500) as n`,
      [organization.id, organization.applicationId, new Date(now - 31 * day), new Date(now - 29 * day)],
    )
    expect(await run()).toMatchObject({ changeKeys: 2250 })
    const [left] = await sql('select min(removed_at) as first, count(*) from change_keys where organization_id = $1', [
      organization.id,
    ])
    expect(left).toEqual({ first: new Date(now - 29 * day).toISOString(), count: '2250' })
  })
})

describe('audit entries', () => {
  it('are kept for a year', async () => {
    await aPast(400, 366, 364, 1)
    expect(await run()).toMatchObject({ auditEntries: 2 })
    const { items } = await organization.client.get('/audit')
    expect(items.map(({ occurredAt }) => occurredAt)).toEqual(
      [1, 364].map(age => new Date(now - age * day).toISOString()),
    )
  })
})

describe('stored answers', () => {
  // The clock of the database decides which days are over, so that no test may see two of them.
  const minute = 60_000
  beforeEach(async () => {
    const left = day - (Date.now() % day)
    if (left < minute) await sleep(left)
  }, 2 * minute)

  const slotOf = (days: number) => Math.floor((Date.now() / day + days + 4) % 4)
  const store = (slot: number, key: string, age = 3) =>
    sql(
      `insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body, slot)
       values ($1, $2, $3, '\\x00', now() - make_interval(days => $5), 201, '{"data": {}, "meta": {}}', $4)`,
      [organization.id, organization.applicationId, key, slot, age],
    )
  const keys = async () =>
    (await sql('select key from idempotency_answers where organization_id = $1', [organization.id])).map(row => row.key)

  it('go with their day, when that has been over for as long as they are kept', async () => {
    await store(slotOf(0), 'of today')
    await store(slotOf(-1), 'of yesterday')
    await store(slotOf(-2), 'of the day before')
    expect(await run()).toMatchObject({ answers: 1, skipped: [] })
    expect((await keys()).sort()).toEqual(['of today', 'of yesterday'])
  })

  it('are reported with an estimate where there are too many to count', async () => {
    await sql(
      `insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, slot)
       select $1, $2, 'one of many ' || n, '\\x00', now() - interval '3 days', 201, $3 from generate_series(1, 100001) as n`,
      [organization.id, organization.applicationId, slotOf(-2)],
    )
    await until('the statistics', async () => {
      const [known] = await sql('select n_live_tup as answers from pg_stat_user_tables where relname = $1', [
        `idempotency_answers_${slotOf(-2)}`,
      ])
      return Number(known?.answers) > 100_000
    })
    // Statistics are right to within what was rolled back or emptied lately.
    expect(await run()).toMatchObject({ answers: expect.closeTo(100_001, -2), skipped: [] })
    expect(await keys()).toEqual([])
  })

  it('from before there were days go together, when all are old', async () => {
    await store(-1, 'old')
    await store(-1, 'young', 0)
    expect((await run()).skipped).toEqual([])
    expect((await keys()).sort()).toEqual(['old', 'young'])
    await sql(`update idempotency_answers set created_at = now() - interval '25 hours' where key = 'young'`)
    await run()
    expect(await keys()).toEqual([])
  })

  it('are left to the next run while somebody else reads them, and nobody waits meanwhile', async () => {
    await store(slotOf(-2), 'in use')
    const reading = await api.test.database.begin()
    await reading.query(statement('test_backup', 'select count(*) from idempotency_answers'), [])
    const running = run()
    for (let count = 0; count < 5; count += 1)
      expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
    expect((await running).skipped).toEqual([`idempotency_answers_${slotOf(-2)}`])
    await reading.rollback()
    expect(await run()).toMatchObject({ answers: 1, skipped: [] })
  })

  it('are found whichever day they lie in', async () => {
    const body = aContact()
    const key = 'across-days'
    const { data } = await organization.client.post('/contacts', body, { key })
    await sql('update idempotency_answers set slot = $2 where organization_id = $1', [organization.id, slotOf(-1)])
    const again = await organization.client.post('/contacts', body, { key })
    expect([again.data.id, again.headers.get('idempotent-replayed')]).toEqual([data.id, 'true'])
  })
})

describe('counts of requests', () => {
  it('go after 90 days', async () => {
    const { id, applicationId } = organization
    await sql(
      `insert into request_counts (organization_id, application_id, day, requests, refusals)
       select $1, $2, $3::date - age, 1, 0 from unnest('{0,90,91,120}'::integer[]) as age`,
      [id, applicationId, new Date(now).toISOString().slice(0, 10)],
    )
    expect(await run()).toMatchObject({ requestCounts: 2 })
    expect(await run()).toMatchObject({ requestCounts: 0 })
  })
})
