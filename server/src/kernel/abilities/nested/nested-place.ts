import { Lookup, type Nested, placeStatement, type RecordState } from '../../record/index.ts'
import { ranksBetween } from '../../schema/index.ts'
import type { Row } from '../../sql/index.ts'

/**
 * Counts the nested records of a parent. If the kind has positions, also finds the position for a record: the given one, or the end by
 * default and beyond the end. The record with `ownId` is not counted (contract section 6.7).
 */
export function placeIn(
  nested: Nested,
  parentId: string | undefined,
  position: unknown,
  ownId: string | null,
): Lookup<Row> {
  const place = nested.parent.isPlaced ? [position ?? null, ownId] : []
  return new Lookup(placeStatement(nested), [parentId, ...place], ([row]) => row ?? {}, 'of the record')
}

/** Puts the record at that position, with a rank between its two neighbours. A record that is there already keeps its rank. */
export function putAt(record: RecordState, previous: RecordState | null, { position, lower, upper }: Row): RecordState {
  if (position === undefined || position === previous?.position) return { ...record, position: previous?.position }
  const [rank] = ranksBetween(rankOf(lower), rankOf(upper), 1)
  return { ...record, position, rank }
}

/** The records with ranks in this order. Existing ranks are exchanged as needed; new records get ranks in between. */
export function putInOrder(records: readonly RecordState[]): RecordState[] {
  const held = records.flatMap(({ rank }) => (typeof rank === 'string' && rank !== '' ? rank : [])).sort()
  const ranks: string[] = []
  let lower: string | null = null
  let added = 0
  let kept = 0
  for (const { rank } of records) {
    const upper = rank === '' ? undefined : held[kept]
    if (upper === undefined) {
      added += 1
      continue
    }
    ranks.push(...ranksBetween(lower, upper, added), upper)
    lower = upper
    added = 0
    kept += 1
  }
  ranks.push(...ranksBetween(lower, null, added))
  return records.map((record, index) => ({ ...record, rank: ranks[index] }))
}

/** A rank from a row, or null. */
export function rankOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
