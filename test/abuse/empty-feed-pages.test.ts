import { beforeAll, expect, test } from 'vitest'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'
import { runningStatements } from './support/statements.ts'

const stage = useStage('G feed pages without a match')
let path: string
let measured: Measured
let leftRunning: number

const mostNumbers = 10_000

beforeAll(async () => {
  path = `/changes?resourceTypes=task&after=${encodeURIComponent(stage.scene.feedStart)}`
  measured = await stage.measure(() => stage.attack({ connections: 12, request: { method: 'GET', path } }))
  leftRunning = await runningStatements(stage.database, 'from changes c')
  await stage.report('events in the feed', stage.scene.events)
  await stage.report('statements left running', leftRunning)
})

test('a page looks at no more than 10,000 numbers, and says how far it came', async () => {
  const { status, items, meta } = await stage.loud.get(path)
  const range = { fromSeq: 0, toSeq: mostNumbers, matched: 0, filtered: mostNumbers }
  expect([status, items, meta.range, meta.hasMore]).toEqual([200, [], range, true])
})

test('the database does nothing more for a page that is answered', () => {
  expect(measured.outcome.statuses).toEqual({ 200: 12 })
  expect(leftRunning).toBe(0)
})

everyAttack(stage, () => measured)
