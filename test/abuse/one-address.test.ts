import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { connectionsWith } from './support/connections.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('a stranger takes all connections')
let measured: Measured
let held: number

const lookMilliseconds = 500
const address = '127.0.0.2'
/** It goes on for longer than a connection without a valid token is kept. */
const [connections, pauseMilliseconds, repeatMilliseconds] = [2000, 4000, 24_000]

beforeAll(async () => {
  const request = { method: 'GET', path: '/livez' } as const
  measured = await stage.measure(async () => {
    const counts: number[] = []
    let isOver = false
    const attack = { connections, request, pauseMilliseconds, repeatMilliseconds, tokens: [], from: address }
    const outcome = stage.attack(attack).finally(() => {
      isOver = true
    })
    for (; !isOver; await sleep(lookMilliseconds)) {
      counts.push(await connectionsWith(stage.server.url, address))
    }
    // Half of the time at most so many: a count at a moment has some that are just being closed.
    held = counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0
    return outcome
  })
  await stage.report('connections of the address', held)
})

test('the address has its share of connections, and a quarter of the places for probes', () => {
  const probes = bounds.probeConnections.most / 4
  expect(held).toBeGreaterThan(bounds.addressConnections.most / 2)
  expect(held).toBeLessThanOrEqual(bounds.addressConnections.most + probes)
})

everyAttack(stage, () => measured)
