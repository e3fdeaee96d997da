import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../support/waiting.ts'
import type { Measured } from './report.ts'
import { unhealthy } from './slowness.ts'
import type { Stage } from './stage.ts'

const mostMegabytes = 450
const afterwardsMegabytes = 350

/** What holds whatever one organization does. */
export function everyAttack(stage: Stage, measured: () => Measured): void {
  test('/livez and /readyz answer within 250 ms', () => {
    expect(unhealthy(measured())).toEqual([])
  })

  test('the server holds at most 450 MB', () => {
    expect(measured().during.megabytes).toBeLessThan(mostMegabytes)
  })

  test('everybody else is served', () => {
    const { answered } = measured().during
    expect(answered.map(({ failures }) => failures)).toEqual(answered.map(() => ({})))
  })

  test('afterwards the server writes, gives memory back, and has all its connections', async () => {
    expect(stage.server.running).toBe(true)
    expect((await stage.loud.post('/contacts', { firstName: 'Boris' })).status).toBe(201)
    await until('connections that nobody holds', async () => (await heldConnections(stage)) === 0)
    const reads = Array.from({ length: 24 }, () => stage.quiet.get('/contacts?limit=1'))
    const searches = Array.from({ length: 8 }, () => stage.quiet.get('/contacts?limit=1&search=anna'))
    for (const { status } of await Promise.all([...reads, ...searches])) expect(status).toBe(200)
    // A process collects its garbage when it needs room. Large pages, one at a time, soon need some.
    const megabytes = await until(
      'memory that is given back',
      async () => {
        expect((await stage.loud.get('/companies?limit=100')).status).toBe(200)
        const [{ megabytes }] = await stage.watch([], () => sleep(500))
        return megabytes < afterwardsMegabytes && megabytes
      },
      20_000,
    )
    await stage.report('memory afterwards', megabytes, 'MB')
  })
}

/** Connections to the database that requests have in use, or wait for; the queue of jobs always has one, on which it listens. */
export async function heldConnections(stage: Stage): Promise<number> {
  const text = await (await fetch(`${stage.server.url}/metrics`)).text()
  const held = text.matchAll(/^crm_database_connections\{pool="(?!queue")\w+",state="(?:busy|waiting)"\} (\d+)$/gmu)
  return [...held].reduce((sum, [, count]) => sum + Number(count), 0)
}
