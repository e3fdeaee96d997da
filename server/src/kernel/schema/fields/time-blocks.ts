import type { Field } from '../field.ts'

/**
 * Consecutive records of one parent: those created after the previous block and not after `until`. A parent stores its blocks, the oldest
 * first, so that a page in the middle of many records is found by their sums.
 */
export type TimeBlock = readonly [until: string, records: number]

/** The blocks of one parent's records. No answer contains them. */
export const timeBlocks: Field<readonly TimeBlock[]> = { column: 'jsonb', output: {}, initial: [], isCounted: true }

/** Small enough to count through a block quickly, and large enough that a hundred thousand records are fifty blocks. */
const usualSize = 2000

/** The blocks after records were added and removed. */
export function blocksAfter(blocks: readonly TimeBlock[], steps: readonly RecordStep[]): readonly TimeBlock[] {
  return steps.reduce((current, { before, after }) => {
    if (before === null && after !== null) return withOneMore(current, after.createdAt)
    return before !== null && after === null ? withOneLess(current, before.createdAt) : current
  }, blocks)
}

interface RecordStep {
  readonly before: { readonly createdAt: string } | null
  readonly after: { readonly createdAt: string } | null
}

/** The blocks after a record with this creation time was added. Only the last block can be extended in time. */
export function withOneMore(blocks: readonly TimeBlock[], createdAt: string): readonly TimeBlock[] {
  const place = placeOf(blocks, createdAt)
  const [until, records] = blocks[place] ?? [createdAt, 0]
  if (place < blocks.length) return blocks.with(place, [until, records + 1])
  const [, newest] = blocks.at(-1) ?? [createdAt, 0]
  return newest < usualSize ? [...blocks.slice(0, -1), [createdAt, newest + 1]] : [...blocks, [createdAt, 1]]
}

/**
 * The blocks after a record with this creation time was removed. Neighbours that fit into one block are joined, so there are never many.
 */
export function withOneLess(blocks: readonly TimeBlock[], createdAt: string): readonly TimeBlock[] {
  const place = placeOf(blocks, createdAt)
  const [until, records] = blocks[place] ?? [createdAt, 0]
  if (records === 0) throw new Error('no block holds the record')
  return joined(joined(blocks.with(place, [until, records - 1]), place), place - 1)
}

/** The index of the block that contains this creation time; the index after the last block if none does. */
function placeOf(blocks: readonly TimeBlock[], createdAt: string): number {
  const place = blocks.findIndex(([until]) => createdAt <= until)
  return place === -1 ? blocks.length : place
}

/** Joins the block at this index with its newer neighbour, if they fit. */
function joined(blocks: readonly TimeBlock[], place: number): readonly TimeBlock[] {
  const [older, newer] = [blocks[place], blocks[place + 1]]
  if (older === undefined || newer === undefined) return blocks
  const records = older[1] + newer[1]
  const isEmpty = older[1] === 0 || newer[1] === 0
  return isEmpty || records <= usualSize ? blocks.toSpliced(place, 2, [newer[0], records]) : blocks
}
