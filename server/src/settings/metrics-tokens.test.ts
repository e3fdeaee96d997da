import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { Authentication, bounds, type RefusedToken } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { createMetricsToken, listMetricsTokens, revokeMetricsToken } from './index.ts'

const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }
const address = '192.0.2.1'
const told: RefusedToken[] = []

let test: TestDatabase
let authentication: Authentication
beforeAll(async () => {
  test = await createTestDatabase()
  authentication = new Authentication(test.database, clock, { onRefused: refused => told.push(refused) })
})
afterAll(() => test?.drop())

const create = (input: object = {}) =>
  createMetricsToken({ database: test.database, clock }, { name: 'Prometheus', ...input })

const fill = statement(
  'test_fill_metrics_tokens',
  `insert into metrics_tokens (id, name, secret_hash, cidrs, created_at)
   select 'fill-' || n, 'Filler', '', '{}', now() from generate_series(1, $1::int) as n returning id`,
)

describe('a token for /metrics', () => {
  it('is recognised by its whole text, and is no token of the API', async () => {
    const { token } = await create()
    expect(token).toMatch(/^crm_metrics_/u)
    expect(await authentication.mayReadMetrics(token, address)).toBe(true)
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const text of [other, '', null]) expect(await authentication.mayReadMetrics(text, address)).toBe(false)
    expect(await authentication.authenticate(token, address)).toBeNull()
  })

  it('is refused when it has expired, or comes from another network, and the log has the reason', async () => {
    const { token } = await create({ cidrs: ['10.0.0.0/8'], expiresIn: 60_000 })
    expect(await authentication.mayReadMetrics(token, '10.1.2.3')).toBe(true)
    clock.time += 1000
    expect(await authentication.mayReadMetrics(token, address)).toBe(false)
    clock.time += 60_000
    expect(await authentication.mayReadMetrics(token, '10.1.2.3')).toBe(false)
    expect(told.slice(-2)).toEqual([
      { reason: 'network', address },
      { reason: 'expired', address: '10.1.2.3' },
    ])
  })

  it('is listed without its secret, and ends at once when it is revoked', async () => {
    const { id, token, ...shown } = await create({ name: ' Grafana ' })
    expect(shown).toEqual({
      name: 'Grafana',
      cidrs: [],
      createdAt: new Date(clock.time).toISOString(),
      expiresAt: null,
    })
    expect(await listMetricsTokens(test.database)).toContainEqual({ id, ...shown })
    expect(await authentication.mayReadMetrics(token, address)).toBe(true)
    expect([await revokeMetricsToken(test.database, id), await revokeMetricsToken(test.database, id)]).toEqual([
      true,
      false,
    ])
    expect(await authentication.mayReadMetrics(token, address)).toBe(false)
  })

  it('needs a name, networks that are some, and a time', async () => {
    await expect(create({ name: ' ' })).rejects.toThrow('the name of a token has 1 to 200 characters')
    await expect(create({ cidrs: ['nowhere'] })).rejects.toThrow('"nowhere" is no network such as 10.0.0.0/8')
    await expect(create({ expiresIn: 0 })).rejects.toThrow('a token is valid for some time')
  })

  it('that was valid before is valid while the database is away, until it expires', async () => {
    const own = await createTestDatabase()
    const beside = new Authentication(own.database, clock)
    const administration = { database: own.database, clock }
    const { token } = await createMetricsToken(administration, { name: 'Prometheus', expiresIn: 60_000 })
    const { token: unseen } = await createMetricsToken(administration, { name: 'Unseen' })
    expect(await beside.mayReadMetrics(token, address)).toBe(true)
    await own.drop()
    expect(await beside.mayReadMetrics(token, address)).toBe(true)
    expect(await beside.mayReadMetrics(token, address)).toBe(true)
    await expect(beside.mayReadMetrics(unseen, address)).rejects.toThrow('Cannot use a pool')
    clock.time += 60_000
    expect(await beside.mayReadMetrics(token, address)).toBe(false)
  })

  it('is not made where there are as many as there may be', async () => {
    const { most } = bounds.metricsTokens
    await test.database.query(fill, [most - (await listMetricsTokens(test.database)).length])
    await expect(create()).rejects.toThrow(`there are ${most} tokens for metrics already: revoke one`)
  })
})
