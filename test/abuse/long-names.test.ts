import { beforeAll, expect, test } from 'vitest'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('H a name of 5 MiB')
let answer: Outcome
let measured: Measured

const quoted = 200

beforeAll(async () => {
  const name = 'k'.repeat(5 * 1024 * 1024 - 100)
  const body = JSON.stringify({ items: [{ externalId: 'named', firstName: 'Anna', [name]: 1 }] })
  const request = { method: 'POST', path: '/contacts/batch/upsert', body } as const
  answer = await stage.attack({ connections: 1, request })
  measured = await stage.measure(() => stage.attack({ connections: 4, request }))
})

test('messages quote at most 200 characters of a request', () => {
  const { firstBody, longest } = answer
  const runs = firstBody.match(/k{2,}/gu) ?? []
  expect(runs).not.toEqual([])
  expect(Math.max(...runs.map(run => run.length))).toBeLessThanOrEqual(quoted)
  expect(longest).toBeLessThan(4096)
})

everyAttack(stage, () => measured)
