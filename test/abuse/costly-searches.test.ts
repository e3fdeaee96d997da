import { beforeAll, expect, test } from 'vitest'
import { databaseCpuSeconds, postmasterOf } from '../../bench/usage.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { costlySearch, hugeSearch, mistakenSearch } from './support/scene.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('F searches for many short words')
let measured: Measured
const secondsOf: Record<string, number> = {}

const searches = {
  'of a list': `/contacts?search=${encodeURIComponent(costlySearch)}`,
  'of all kinds': `/search?q=${encodeURIComponent(costlySearch)}`,
  'for similar words': `/search?q=${encodeURIComponent(mistakenSearch)}`,
}

beforeAll(async () => {
  const postmaster = await postmasterOf(stage.scene.folder)
  for (const [name, path] of Object.entries(searches)) {
    const request = { method: 'GET', path } as const
    const seconds = await stage.leastSeconds({ connections: 1, request }, () => databaseCpuSeconds(postmaster))
    secondsOf[name] = seconds
    await stage.report(`processor time of one ${name} in the database`, seconds * 1000, 'ms')
  }
  const request = { method: 'GET', path: searches['of all kinds'] } as const
  const attack = { connections: 10, request, repeatMilliseconds: 5000 }
  const paths = ['/contacts?search=petrova', '/search?q=petrova', '/capabilities']
  measured = await stage.measure(() => stage.attack(attack), { paths, promises: [unfair] })
})

test('a search for 66 words is refused', async () => {
  const { status, details } = await stage.loud.get(`/contacts?search=${encodeURIComponent(hugeSearch)}`)
  expect([status, Object(details.issues)[0].path]).toEqual([400, 'query:search'])
})

test.each(Object.keys(searches))('a search %s costs the database at most 300 ms', name => {
  expect(secondsOf[name]).toBeLessThan(0.3)
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
