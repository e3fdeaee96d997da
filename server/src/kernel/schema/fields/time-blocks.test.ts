import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type TimeBlock, withOneLess, withOneMore } from './time-blocks.ts'

const at = (millisecond: number) => new Date(1_767_225_600_000 + millisecond).toISOString()

/** Records that are made one after another, the first of them then, or some of those that there are and go. */
const steps = fc.array(
  fc.oneof(
    fc.record({ made: fc.integer({ min: 1, max: 2500 }), from: fc.nat(12_000), every: fc.constantFrom(0, 1, 3) }),
    fc.record({ goes: fc.integer({ min: 1, max: 2500 }), from: fc.nat(12_000) }),
  ),
  { minLength: 1, maxLength: 12 },
)

it('each block holds the records between the end of the one before and its own, however records come and go', () => {
  fc.assert(
    fc.property(steps, drawn => {
      let blocks: readonly TimeBlock[] = []
      const times: number[] = []
      for (const step of drawn) {
        if ('made' in step) {
          for (let count = 0; count < step.made; count += 1) {
            times.push(step.from + count * step.every)
            blocks = withOneMore(blocks, at(times.at(-1) ?? 0))
          }
        } else {
          for (const gone of times.splice(step.from % (times.length + 1), step.goes))
            blocks = withOneLess(blocks, at(gone))
        }
      }
      const held = blocks.map(([until], index) => {
        const behind = blocks[index - 1]?.[0] ?? ''
        return times.filter(time => at(time) > behind && at(time) <= until).length
      })
      expect(blocks.map(([, records]) => records)).toEqual(held)
      expect(held.reduce((sum, records) => sum + records, 0)).toBe(times.length)
    }),
    { numRuns: 60 },
  )
})

it('there are never more than one for a thousand records, also where all but a few are gone', () => {
  let blocks: readonly TimeBlock[] = []
  for (let made = 0; made < 100_000; made += 1) blocks = withOneMore(blocks, at(made))
  expect(blocks).toHaveLength(50)
  for (let gone = 0; gone < 100_000; gone += 1) {
    if (gone % 100 !== 0) blocks = withOneLess(blocks, at(gone))
  }
  expect(blocks).toEqual([[at(99_999), 1000]])
})

it('the last block grows until it is full, and a late record is in the block of its time', () => {
  let blocks: readonly TimeBlock[] = []
  for (let made = 1; made <= 2001; made += 1) blocks = withOneMore(blocks, at(10 * made))
  expect(blocks).toEqual([
    [at(20_000), 2000],
    [at(20_010), 1],
  ])
  expect(withOneMore(blocks, at(20_000))).toEqual([
    [at(20_000), 2001],
    [at(20_010), 1],
  ])
  expect(withOneMore(blocks, at(20_001))).toEqual([
    [at(20_000), 2000],
    [at(20_010), 2],
  ])
})

it('a record that no block holds cannot be removed', () => {
  expect(() => withOneLess([], at(0))).toThrow('no block')
  expect(() => withOneLess([[at(5), 1]], at(6))).toThrow('no block')
})
