import { afterEach, expect, it, vi } from 'vitest'
import { limitedLookup } from './limited-lookup.ts'

const address = [{ address: '192.0.2.1', family: 4 }]

/** Look-ups that end when the test says so, except those of `well`. */
function scripted(most: number) {
  const asked: string[] = []
  const fail = new Map<string, () => void>()
  const lookup = limitedLookup(name => {
    asked.push(name)
    if (name === 'well') return Promise.resolve(address)
    return new Promise((_, reject) => fail.set(name, () => reject(new Error('not found'))))
  }, most)
  const hang = (name: string) => void lookup(name).catch(() => {})
  return { asked, fail, lookup, hang }
}

afterEach(() => void vi.useRealTimers())

it('a name is looked up once at a time, however many ask for it, and beside it others are found', async () => {
  const { asked, hang, lookup } = scripted(2)
  for (let count = 0; count < 10; count += 1) hang('hanging')
  expect(await lookup('well')).toEqual(address)
  expect(await lookup('well')).toEqual(address)
  expect(asked).toEqual(['hanging', 'well', 'well'])
})

it('no more names are looked up at a time than may be; the next one follows when one has ended', async () => {
  const { asked, fail, hang, lookup } = scripted(2)
  for (const name of ['a', 'b']) hang(name)
  const well = lookup('well')
  expect(asked).toEqual(['a', 'b'])
  fail.get('a')?.()
  expect(await well).toEqual(address)
})

it('names that were slow before are looked up one at a time, and do not keep others from being found', async () => {
  vi.useFakeTimers()
  const { asked, fail, hang, lookup } = scripted(2)
  for (const name of ['a', 'b']) hang(name)
  await vi.advanceTimersByTimeAsync(1000)
  for (const name of ['a', 'b']) fail.get(name)?.()
  await vi.advanceTimersByTimeAsync(0)
  for (const name of ['a', 'b']) hang(name)
  expect(await lookup('well')).toEqual(address)
  expect(asked).toEqual(['a', 'b', 'a', 'well'])
  fail.get('a')?.()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual(['a', 'b', 'a', 'well', 'b'])
})
