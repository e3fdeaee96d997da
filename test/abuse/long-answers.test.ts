import { beforeAll, expect, test } from 'vitest'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('E answers of 9.5 MiB')
let measured: Measured

beforeAll(async () => {
  const request = { method: 'GET', path: '/companies?limit=100' } as const
  const attack = { connections: 10, request, repeatMilliseconds: 5000 }
  measured = await stage.measure(() => stage.attack(attack), { compared: [unfair] })
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
