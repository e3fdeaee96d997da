import type { Field } from '../field.ts'

/**
 * Some records of one parent that came one after another: those that were made behind the block before, and not after `until`. A
 * parent keeps its blocks, the oldest first, so that a page in the middle of many is found by their sums.
 */
export type TimeBlock = readonly [until: string, records: number]

/** The blocks in which records of one parent came. Nothing shows them. */
export const timeBlocks: Field<readonly TimeBlock[]> = { column: 'jsonb', output: {}, initial: [], isCounted: true }

/** So few that a page counts through them in no time, and so many that a hundred thousand records are fifty blocks. */
const usualSize = 2000

/** The blocks after a record was made then. Only the last one ever reaches further than before. */
export function withOneMore(blocks: readonly TimeBlock[], createdAt: string): readonly TimeBlock[] {
  const place = placeOf(blocks, createdAt)
  const [until, records] = blocks[place] ?? [createdAt, 0]
  if (place < blocks.length) return blocks.with(place, [until, records + 1])
  const [, newest] = blocks.at(-1) ?? [createdAt, 0]
  return newest < usualSize ? [...blocks.slice(0, -1), [createdAt, newest + 1]] : [...blocks, [createdAt, 1]]
}

/** The blocks after a record that was made then was removed. Neighbours that fit into one become one: there are never many. */
export function withOneLess(blocks: readonly TimeBlock[], createdAt: string): readonly TimeBlock[] {
  const place = placeOf(blocks, createdAt)
  const [until, records] = blocks[place] ?? [createdAt, 0]
  if (records === 0) throw new Error('no block holds the record')
  return joined(joined(blocks.with(place, [until, records - 1]), place), place - 1)
}

/** The place of the block that holds what was made then; behind the last one, if none reaches so far. */
function placeOf(blocks: readonly TimeBlock[], createdAt: string): number {
  const place = blocks.findIndex(([until]) => createdAt <= until)
  return place === -1 ? blocks.length : place
}

/** The block at this place and its newer neighbour as one, if they fit. */
function joined(blocks: readonly TimeBlock[], place: number): readonly TimeBlock[] {
  const [older, newer] = [blocks[place], blocks[place + 1]]
  if (older === undefined || newer === undefined) return blocks
  const records = older[1] + newer[1]
  const isEmpty = older[1] === 0 || newer[1] === 0
  return isEmpty || records <= usualSize ? blocks.toSpliced(place, 2, [newer[0], records]) : blocks
}
