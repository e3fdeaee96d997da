import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bounds } from '../limits/bounds.ts'
import { atOnce, inSlices, yieldToEventLoop } from './cooperative-yielding.ts'

/** A generator whose steps each use the processor for some milliseconds. */
function* busy(steps: number, milliseconds: number, note: () => void): Generator<unknown, string> {
  for (let step = 0; step < steps; step += 1) {
    const until = performance.now() + milliseconds
    while (performance.now() < until);
    note()
    yield
  }
  return 'done'
}

test('long work lets the event loop turn between its slices', async () => {
  let turns = 0
  let running = true
  const work = inSlices(busy(6, 9, () => {})).finally(() => {
    running = false
  })
  while (running) {
    await nextTurn()
    turns += 1
  }
  expect(await work).toBe('done')
  expect(turns).toBeGreaterThanOrEqual(6)
})

test('several long works go on one at a time, in turns', async () => {
  const order: string[] = []
  await Promise.all([inSlices(busy(3, 9, () => order.push('a'))), inSlices(busy(3, 9, () => order.push('b')))])
  expect(order).toEqual(['a', 'a', 'b', 'a', 'b', 'b'])
})

test('in one turn of the event loop all long works together have the time of one slice', async () => {
  let turn = 0
  let running = true
  const turns = (async () => {
    for (; running; turn += 1) await nextTurn()
  })()
  const doneIn = new Map<number, number>()
  const note = () => doneIn.set(turn, (doneIn.get(turn) ?? 0) + 1)
  await Promise.all(Array.from({ length: 8 }, () => inSlices(busy(1, bounds.slice.most / 2, note))))
  running = false
  await turns
  expect([...doneIn.values()].reduce((sum, count) => sum + count)).toBe(8)
  expect(Math.max(...doneIn.values())).toBeLessThanOrEqual(2)
})

test('in one turn of the event loop one of those that wait goes on', async () => {
  let woken = 0
  const all = Array.from({ length: 5 }, () => yieldToEventLoop().then(() => (woken += 1)))
  const seen = new Set<number>()
  while (woken < 5) {
    await nextTurn()
    seen.add(woken)
  }
  await Promise.all(all)
  expect(seen.size).toBeGreaterThanOrEqual(4)
})

test('the same work can be done at once', () => {
  expect(atOnce(busy(2, 0, () => {}))).toBe('done')
})
