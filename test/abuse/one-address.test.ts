import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { connectionsWith } from './support/connections.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('a stranger takes all connections')
let measured: Measured
let most: number

const lookMilliseconds = 500
const address = '127.0.0.2'
/** It goes on for longer than a connection without a valid token is kept. */
const [connections, pauseMilliseconds, repeatMilliseconds] = [2000, 4000, 24_000]

beforeAll(async () => {
  const request = { method: 'GET', path: '/livez' } as const
  measured = await stage.measure(async () => {
    most = 0
    let isOver = false
    const attack = { connections, request, pauseMilliseconds, repeatMilliseconds, tokens: [], from: address }
    const outcome = stage.attack(attack).finally(() => {
      isOver = true
    })
    for (; !isOver; await sleep(lookMilliseconds)) {
      most = Math.max(most, await connectionsWith(stage.server.url, address))
    }
    return outcome
  })
  await stage.report('connections at most', most)
})

test('the address has its share of connections, and a quarter of the places for probes', () => {
  const probes = bounds.probeConnections.most / 4
  expect(most).toBeGreaterThan(bounds.addressConnections.most / 2)
  expect(most).toBeLessThanOrEqual(bounds.addressConnections.most + probes)
})

everyAttack(stage, () => measured)
