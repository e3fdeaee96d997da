import { beforeAll, expect, test } from 'vitest'
import { databaseCpuSeconds, postmasterOf } from '../../bench/usage.ts'
import { everyAttack, fairness } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { costlySearch, hugeSearch } from './support/scene.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('F searches for many short words')
const searches = 3
let measured: Measured
let secondsOfOne: number

beforeAll(async () => {
  const request = { method: 'GET', path: `/contacts?search=${encodeURIComponent(costlySearch)}` } as const
  const postmaster = await postmasterOf(stage.scene.folder)
  const before = await databaseCpuSeconds(postmaster)
  for (let count = 0; count < searches; count += 1) await stage.attack({ connections: 1, request })
  secondsOfOne = ((await databaseCpuSeconds(postmaster)) - before) / searches
  await stage.report('processor time of one in the database', secondsOfOne * 1000, 'ms')
  const attack = { connections: 10, request, repeatMilliseconds: 5000 }
  measured = await stage.measure(() => stage.attack(attack), ['/contacts?search=petrova', '/capabilities'])
})

test('a search for 66 words is refused', async () => {
  const { status, details } = await stage.loud.get(`/contacts?search=${encodeURIComponent(hugeSearch)}`)
  expect([status, Object(details.issues)[0].path]).toEqual([400, 'query:search'])
})

test('a search costs the database at most 300 ms', () => {
  expect(secondsOfOne).toBeLessThan(0.3)
})

fairness(() => measured)
everyAttack(stage, () => measured)
