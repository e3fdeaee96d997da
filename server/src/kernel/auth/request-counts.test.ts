import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../../test/support/api.ts'
import { anOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/waiting.ts'
import { bounds } from '../limits/index.ts'
import { Database, type Row, type Statement, statement } from '../sql/index.ts'
import { RequestCounts } from './usage.ts'

const selectCounts = statement(
  'test_counts_of_requests',
  `select r.day::text, r.requests::integer, r.refusals::integer from request_counts r
    where r.organization_id = $1 order by r.day`,
)

/** Notes what it is asked, and fails while it is told to. */
class WatchedDatabase extends Database {
  fails = false
  readonly asked: (readonly unknown[])[] = []

  override query<R extends Row = Row>(asked: Statement, values: readonly unknown[]): Promise<R[]> {
    this.asked.push(values)
    return this.fails ? Promise.reject(new Error('no database')) : super.query<R>(asked, values)
  }
}

let api: TestApi
let database: WatchedDatabase
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  database = new WatchedDatabase({ location: api.test.location, connections: 4 })
})
afterAll(async () => {
  await database.close()
  await api.close()
})

const countsOn = (day: string) => new RequestCounts(database, { now: () => Date.parse(`${day}T12:00:00.000Z`) })
const stored = () => api.test.database.search(selectCounts, [organization.id])

describe('the requests of an application', () => {
  beforeAll(async () => {
    organization = await anOrganization(api)
  })

  it('are added up by the day, whichever server has counted them', async () => {
    const { id, applicationId } = organization
    const [one, other] = [countsOn('2026-03-01'), countsOn('2026-03-01')]
    for (const isRefused of [false, true, false]) one.note(id, applicationId, isRefused)
    other.note(id, applicationId, true)
    for (const counts of [one, other, one]) await counts.write()
    const later = countsOn('2026-03-02')
    later.note(id, applicationId, false)
    await later.write()
    expect(await stored()).toEqual([
      { day: '2026-03-01', requests: 4, refusals: 2 },
      { day: '2026-03-02', requests: 1, refusals: 0 },
    ])
  })

  it('are written by one statement however many they are, and kept while the database is away', async () => {
    const { id, applicationId } = organization
    const counts = countsOn('2026-03-03')
    database.asked.length = 0
    for (let request = 0; request < 1000; request += 1) counts.note(id, applicationId, false)
    expect(database.asked).toEqual([])
    database.fails = true
    await expect(counts.write()).rejects.toThrow('no database')
    database.fails = false
    counts.note(id, applicationId, true)
    await counts.write()
    expect(database.asked).toHaveLength(2)
    expect((await stored()).at(-1)).toEqual({ day: '2026-03-03', requests: 1001, refusals: 1 })
  })

  it('are counted for no more applications than the bound, until the next statement', async () => {
    const { id, applicationId } = organization
    const counts = countsOn('2026-03-04')
    for (let other = 0; other < bounds.countedApplications.most; other += 1)
      counts.note(id, `00000000-0000-4000-8000-${String(other).padStart(12, '0')}`, false)
    counts.note(id, applicationId, false)
    database.asked.length = 0
    await counts.write()
    expect(database.asked[0]?.[1]).toHaveLength(bounds.countedApplications.most)
    expect((await stored()).some(({ day }) => day === '2026-03-04')).toBe(false)
    counts.note(id, applicationId, false)
    await counts.write()
    expect((await stored()).at(-1)).toEqual({ day: '2026-03-04', requests: 1, refusals: 0 })
  })
})

it('a server counts its answers: successes, refusals behind the token, and tokens that have ended', async () => {
  organization = await anOrganization(api)
  const { client, token } = organization
  expect((await client.get('/contacts')).status).toBe(200)
  expect((await client.get('/contacts?limit=0')).status).toBe(400)
  const narrow = await token(['crm_deals_read'])
  expect((await narrow.get('/contacts')).status).toBe(403)
  await api.test.database.script(`update api_tokens set revoked_at = now() where id = '${narrow.token.split('_')[2]}'`)
  await api.test.database.script('update installation set generation = generation + 1')
  await until('the token to be refused', async () => (await narrow.get('/contacts')).status === 401)
  const counted = async () => (await stored())[0] ?? {}
  // Requests between the last poll and the new generation were refused with 403.
  await until('the server to write its counts', async () => Number((await counted()).requests) >= 4)
  const { requests, refusals } = await counted()
  expect(Number(requests) - Number(refusals)).toBe(1)
})
