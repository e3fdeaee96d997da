import { type CrmError, Gone, KeyConflict } from '../core/errors.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { canonical } from './canonical.ts'
import type { Chunk } from './chunks.ts'

/** Why a row was refused, as the single upsert would have been. */
export interface RowFailure {
  /** A code of the API, or `decided_before`. */
  readonly code: string
  readonly message: string
  readonly details: object
}

/** What became of a row: either `record` or `error` is there. */
export type UpsertResult<Row, Stored> = {
  /** The place of the row, from 0. */
  readonly index: number
  readonly row: Row
  readonly status: number
  /**
   * Whether the server decided about the row before: at an earlier start of the run, or with an attempt whose answer was lost. With
   * `record`, it is written. With the error `decided_before`, the batch was decided with other content, and nobody can tell any more
   * whether this row was written: compare it with `current`, and write it with a new run if it should be.
   */
  readonly isReplay: boolean
} & (
  | { readonly record: Stored; readonly error?: undefined; readonly current?: undefined }
  | {
      readonly record?: undefined
      readonly error: RowFailure
      /** With `decided_before`: the record as it is now, which says something else than the row. Null if it cannot be read. */
      readonly current?: Stored | null
    }
)

/** What the answer to a batch has for one of its rows. */
export interface Element<Stored> {
  readonly status: number
  readonly data?: Stored
  readonly error?: RowFailure
}

/** What the answer to a batch says of its rows. */
export function resultsOf<Row, Stored>(
  { start, rows }: Chunk<Row>,
  elements: readonly Element<Stored>[],
  isReplay: boolean,
): UpsertResult<Row, Stored>[] {
  return rows.map((row, place) => {
    const { status = 0, data: record, error } = elements[place] ?? {}
    const common = { index: start + place, row, status, isReplay }
    if (record !== undefined) return { ...common, record }
    return { ...common, error: error ?? { code: 'missing', message: 'the answer lacks this row', details: {} } }
  })
}

/** Whether a batch was refused because it was decided before: with other versions, or with people who were erased since. */
export function wasDecidedBefore(error: unknown): error is CrmError {
  return KeyConflict.is(error) || (Gone.is(error) && error.details['reason'] === 'person_erased')
}

/**
 * The results of a batch that was decided before, when its answer is not to be had: it may have refused any of its rows. What the records
 * say now tells of a row that it was applied if they say the same, and nothing otherwise.
 */
export function decidedResultsOf<Row, Stored>(
  { start, rows, sent }: Chunk<Row>,
  refusal: CrmError,
  elements: readonly Element<Stored>[],
): UpsertResult<Row, Stored>[] {
  return rows.map((row, place) => {
    const { status = 0, data: current } = elements[place] ?? {}
    const common = { index: start + place, row, isReplay: true }
    if (current !== undefined && hasAllOf(current, sent[place] ?? {})) return { ...common, status, record: current }
    const message =
      'the batch was decided before, and the record does not say what the row says: compare, and use a new run'
    const error = { code: 'decided_before', message, details: refusal.details }
    return { ...common, status: refusal.status, error, current: current ?? null }
  })
}

/** Whether each field that a row names has the same value in the record. */
function hasAllOf(record: unknown, { expectedVersion: _, ...fields }: JsonObject): boolean {
  if (!isObject(record)) return false
  return Object.entries(fields).every(([name, value]) => canonical(record[name] ?? null) === canonical(value))
}
