import { beforeAll, expect, test } from 'vitest'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('documents that nobody reads')
let measured: Measured

beforeAll(async () => {
  const request = { method: 'GET', path: '/api/v1/openapi.json' } as const
  const attack = { connections: 300, request, pipelined: 16, unread: true, hangUpMilliseconds: 5000, tokens: [] }
  measured = await stage.measure(() => stage.attack({ ...attack, from: '127.0.0.2' }))
})

test('a file is refused without being read', () => {
  expect(measured.outcome.statuses).toEqual({})
})

everyAttack(stage, () => measured)
