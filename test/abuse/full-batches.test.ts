import { beforeAll, expect, test } from 'vitest'
import { anApplication } from '../process/support/installations.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { standingStill } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('I full batches of six organizations')
const organizations = 6
const batchesOfEach = 4
let measured: Measured

beforeAll(async () => {
  const tokens: string[] = []
  while (tokens.length < organizations) tokens.push((await anApplication(stage.database)).token)
  // Legal, and nearly as much as a body may hold: each character takes four bytes.
  const text = '🂡'.repeat(10_000)
  const items = Array.from({ length: 100 }, (_, index) => ({
    externalId: `full-${index}`,
    firstName: 'Anna',
    description: text,
  }))
  const body = JSON.stringify({ items })
  const request = { method: 'POST', path: '/contacts/batch/upsert', body } as const
  const attack = { connections: organizations * batchesOfEach, request, tokens }
  await stage.report('a body', Buffer.byteLength(body) / 1024 / 1024, 'MiB')
  measured = await stage.measure(() => stage.attack(attack), { promises: [standingStill] })
})

test('each batch is carried out, or gets a 503 with Retry-After', () => {
  const { 200: done = 0, 503: later = 0, ...others } = measured.outcome.statuses
  expect(others).toEqual({})
  expect(done + later).toBe(organizations * batchesOfEach)
  expect(done).toBeGreaterThanOrEqual(organizations)
})

test('the event loop is never held longer than 100 ms', () => {
  expect(standingStill(measured)).toEqual([])
})

everyAttack(stage, () => measured)
