import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { unreadConnections } from './support/connections.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { readSlowly } from './support/slow-reader.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('C answers that nobody reads')
let measured: Measured
let left: number
let slowAnswers: Readonly<Record<string, number>>

const unread = 110
const path = '/companies?limit=100'
/** The ten seconds in which a large answer waits for its turn, the thirty in which it is not read, and some more. */
const [lookMilliseconds, hangUpMilliseconds] = [44_000, 46_000]
/** The slow reader's. */
const others = 1

beforeAll(async () => {
  const { url } = stage.server
  const slow = readSlowly(url, stage.loud, path, { bytesPerSecond: 65_536, milliseconds: hangUpMilliseconds })
  measured = await stage.measure(async () => {
    const request = { method: 'GET', path } as const
    const attack = stage.attack({ connections: unread, request, unread: true, hangUpMilliseconds })
    await sleep(lookMilliseconds)
    left = await unreadConnections(url)
    return attack
  })
  slowAnswers = await slow
  await stage.report(`connections with unread bytes after ${lookMilliseconds / 1000} s`, left)
})

test('a connection on which nothing is read for 30 s is closed', () => {
  expect(left).toBeLessThanOrEqual(others)
})

test('a client that reads slowly but steadily has its whole answer', () => {
  expect(slowAnswers).toEqual({ 200: 1 })
})

everyAttack(stage, () => measured)
