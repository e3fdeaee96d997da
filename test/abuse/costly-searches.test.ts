import { beforeAll, expect, test } from 'vitest'
import { databaseCpuSeconds, postmasterOf } from '../../bench/usage.ts'
import { everyAttack } from './support/promises.ts'
import type { Measured } from './support/report.ts'
import { costlySearch, hugeSearch, longSearch, mistakenSearch } from './support/scene.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('F searches for many short words')
let measured: Measured
const secondsOf: Record<string, number> = {}

const searches = {
  'of a list': `/contacts?search=${encodeURIComponent(costlySearch)}`,
  'of all kinds': `/search?q=${encodeURIComponent(costlySearch)}`,
  'of a list for 66 words': `/contacts?search=${encodeURIComponent(hugeSearch)}`,
  'of a list for 49 longer words': `/contacts?search=${encodeURIComponent(longSearch)}`,
  'of a list for 48 longer words that all have': `/contacts?search=${encodeURIComponent(longSearch.slice(0, -4))}`,
  'of all kinds for 49 longer words': `/search?q=${encodeURIComponent(longSearch)}`,
  'of all kinds for 66 words': `/search?q=${encodeURIComponent(hugeSearch)}`,
  'of all kinds for 65 words that all have': `/search?q=${encodeURIComponent(hugeSearch.slice(0, -3))}`,
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
  measured = await stage.measure(() => stage.attack(attack), { paths, compared: [unfair] })
})

test.each(Object.keys(searches))('a search %s costs the database at most 300 ms', name => {
  expect(secondsOf[name]).toBeLessThan(0.3)
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
