import { beforeAll } from 'vitest'
import { everyAttack, fairness } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('E answers of 9.5 MiB')
let measured: Measured

beforeAll(async () => {
  const request = { method: 'GET', path: '/companies?limit=100' } as const
  measured = await stage.measure(() => stage.attack({ connections: 10, request, repeatMilliseconds: 5000 }))
})

fairness(() => measured)
everyAttack(stage, () => measured)
