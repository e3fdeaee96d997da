import { beforeAll, expect, test } from 'vitest'
import { databaseCpuSeconds, postmasterOf } from '../../bench/usage.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { costlySearch, hugeSearch } from './support/scene.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('F searches for many short words')
let measured: Measured
let secondsOfOne: number

beforeAll(async () => {
  const request = { method: 'GET', path: `/contacts?search=${encodeURIComponent(costlySearch)}` } as const
  const postmaster = await postmasterOf(stage.scene.folder)
  secondsOfOne = await stage.leastSeconds({ connections: 1, request }, () => databaseCpuSeconds(postmaster))
  await stage.report('processor time of one in the database', secondsOfOne * 1000, 'ms')
  const attack = { connections: 10, request, repeatMilliseconds: 5000 }
  const paths = ['/contacts?search=petrova', '/capabilities']
  measured = await stage.measure(() => stage.attack(attack), { paths, promises: [unfair] })
})

test('a search for 66 words is refused', async () => {
  const { status, details } = await stage.loud.get(`/contacts?search=${encodeURIComponent(hugeSearch)}`)
  expect([status, Object(details.issues)[0].path]).toEqual([400, 'query:search'])
})

test('a search costs the database at most 300 ms', () => {
  expect(secondsOfOne).toBeLessThan(0.3)
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
