import { beforeAll, expect, test } from 'vitest'
import { cpuSeconds } from '../../bench/usage.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { standingStill } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('B batches of unknown members')
let answer: Outcome
let measured: Measured
let secondsOfOne: number

const [items, membersOfItem] = [100, 4700]
const bodies = 30

beforeAll(async () => {
  const members = Object.fromEntries(Array.from({ length: membersOfItem }, (_, index) => [`m${index}`, 0]))
  const body = JSON.stringify({
    items: Array.from({ length: items }, (_, index) => ({ externalId: `unknown-${index}`, ...members })),
  })
  const request = { method: 'POST', path: '/contacts/batch/upsert', body } as const
  // During the first one code is compiled; the others show the cost.
  answer = await stage.attack({ connections: 1, request })
  secondsOfOne = await stage.leastSeconds({ connections: 1, request }, () => cpuSeconds(stage.server.pid))
  measured = await stage.measure(() => stage.attack({ connections: bodies, request }), { promises: [standingStill] })
  await stage.report('a body', body.length / 1024 / 1024, 'MiB')
  await stage.report('processor time of one', secondsOfOne * 1000, 'ms')
})

test('such a body costs at most 200 ms', () => {
  expect(secondsOfOne).toBeLessThan(0.2)
})

test('the event loop is never held longer than 100 ms', () => {
  expect(standingStill(measured)).toEqual([])
})

test('the answer lists the first hundred faults, and counts all', () => {
  const { firstBody, longest } = answer
  expect(longest).toBeLessThan(64 * 1024)
  expect(firstBody.match(/"rule":/gu)?.length).toBe(100)
  expect(firstBody).toContain(`"issueCount":${items}`)
  expect(firstBody).toContain(`not ${membersOfItem + 1}`)
})

everyAttack(stage, () => measured)
