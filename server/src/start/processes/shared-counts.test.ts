import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addAll, type Count, CountsElsewhere } from './shared-counts.ts'

test('counts of one turn are one message, and so are those that come while an answer is on its way', async () => {
  const sent: (readonly Count[])[] = []
  const counts = new CountsElsewhere(message => sent.push(message))
  const first = [counts.add('one', 1), counts.add('other', 0)]
  await nextTurn()
  const second = [counts.add('one', 2), counts.add('one', 1)]
  await nextTurn()
  expect(sent).toEqual([
    [
      ['one', 1],
      ['other', 0],
    ],
  ])
  counts.take([7, null])
  expect(await Promise.all(first)).toEqual([7, null])
  expect(sent.slice(1)).toEqual([
    [
      ['one', 2],
      ['one', 1],
    ],
  ])
  counts.take([9, 10])
  expect(await Promise.all(second)).toEqual([9, 10])
  expect(sent).toHaveLength(2)
})

test('after a pause the next count is sent by itself', async () => {
  const sent: (readonly Count[])[] = []
  const counts = new CountsElsewhere(message => sent.push(message))
  for (const expected of [1, 2]) {
    const value = counts.add('one', 1)
    await nextTurn()
    expect(sent).toHaveLength(expected)
    counts.take([expected])
    expect(await value).toBe(expected)
  }
})

test('values come in the order of the questions, whichever counter answers first', async () => {
  const late = { add: async (name: string, points: number) => (name === 'slow' ? nextTurn(points) : points) }
  expect(
    await addAll(late, [
      ['slow', 1],
      ['quick', 2],
    ]),
  ).toEqual([1, 2])
})
