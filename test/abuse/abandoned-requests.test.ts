import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { everyAttack, heldConnections } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { costlySearch } from './support/scene.ts'
import { useStage } from './support/stage.ts'
import { begunStatements, runningStatements } from './support/statements.ts'

const stage = useStage('D requests that nobody waits for')
let measured: Measured
let held: number
let goneRunning: number
let begunLater: number

const pipelined = 300
const mostWaiting = 16
const hangUpMilliseconds = 1000
const text = 'strpos(t.search_names'

beforeAll(async () => {
  const request = { method: 'GET', path: `/contacts?search=${encodeURIComponent(costlySearch)}` } as const
  measured = await stage.measure(async () => {
    const attack = stage.attack({ connections: 1, request, pipelined, hangUpMilliseconds })
    await sleep(hangUpMilliseconds / 2)
    held = await heldConnections(stage)
    const outcome = await attack
    // That a client has gone is known a moment later.
    await sleep(500)
    goneRunning = await runningStatements(stage.database, text)
    begunLater = await begunStatements(stage.database, text, 3000)
    return outcome
  })
  await stage.report('connections of the database held or waited for', held)
  await stage.report('searches running half a second after the client went', goneRunning)
  await stage.report('searches begun in the three seconds after that', begunLater)
})

test('at most 16 requests of one connection wait', () => {
  // The probes hold one or two for a moment.
  expect(held).toBeLessThanOrEqual(mostWaiting + 2)
})

test('a search whose client has left is cancelled in the database', () => {
  expect(goneRunning).toBe(0)
})

test('a request whose client has left does not begin', () => {
  expect(begunLater).toBe(0)
})

everyAttack(stage, () => measured)
