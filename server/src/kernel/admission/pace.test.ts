import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A process, and the requests that come to it. */
function aProcess() {
  const requests = { arrived: 0, lastArrival: Number.NEGATIVE_INFINITY }
  const come = (count: number) => {
    requests.arrived += count
    requests.lastArrival = performance.now()
  }
  return { requests, come }
}

/** Ends a part, and tells how many milliseconds the rest takes. */
async function restOf(pace: Pace): Promise<number> {
  const begin = performance.now()
  let isOver = false
  const rest = pace.rest().then(() => {
    isOver = true
  })
  await new Promise(resolve => setImmediate(resolve))
  while (!isOver) await vi.advanceTimersByTimeAsync(1)
  await rest
  return performance.now() - begin
}

test('work is done in whole parts, without a rest, while no requests come', async () => {
  const pace = new Pace(aProcess().requests)
  for (let part = 0; part < 5; part += 1) {
    expect(pace.partOf(100)).toBe(100)
    vi.advanceTimersByTime(30)
    expect(await restOf(pace)).toBe(0)
  }
})

test('while requests come parts become small, and grow again when none come', async () => {
  const { requests, come } = aProcess()
  const pace = new Pace(requests)
  const sizes: number[] = []
  for (let part = 0; part < 10; part += 1) {
    vi.advanceTimersByTime(20)
    if (part < 5) come(1)
    await restOf(pace)
    sizes.push(pace.partOf(100))
  }
  expect(sizes).toEqual([50, 25, 13, 10, 10, 20, 40, 80, 100, 100])
  expect(pace.partOf(1)).toBe(1)
})

test('work rests for each request that came, as long as it has worked at most', async () => {
  const { requests, come } = aProcess()
  const pace = new Pace(requests)
  vi.advanceTimersByTime(20)
  come(3)
  expect(await restOf(pace)).toBe(6)
  vi.advanceTimersByTime(20)
  come(50)
  expect(await restOf(pace)).toBe(20)
})

test('a request that came shortly before is mostly not answered yet, and counts', async () => {
  const { requests, come } = aProcess()
  come(1)
  const pace = new Pace(requests)
  vi.advanceTimersByTime(9)
  expect(await restOf(pace)).toBe(2)
  expect(pace.partOf(100)).toBe(50)
  vi.advanceTimersByTime(9)
  expect(await restOf(pace)).toBe(0)
  expect(pace.partOf(100)).toBe(100)
})

test('work that was interrupted goes on with parts of the same size, and rests for nothing that came meanwhile', async () => {
  const { requests, come } = aProcess()
  const pace = new Pace(requests)
  vi.advanceTimersByTime(20)
  come(1)
  await restOf(pace)
  come(50)
  vi.advanceTimersByTime(1000)
  pace.begin()
  expect(pace.partOf(100)).toBe(50)
  vi.advanceTimersByTime(20)
  expect(await restOf(pace)).toBe(0)
})
