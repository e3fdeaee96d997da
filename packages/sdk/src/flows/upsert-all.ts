import type { Answer } from '../core/answer.ts'
import { type Clock, realClock } from '../core/clock.ts'
import { type CrmError, KeyConflict, RateLimited } from '../core/errors.ts'
import type { WriteOptions } from '../core/options.ts'
import { type Chunk, chunksOf, keyOf } from './chunks.ts'
import { Pace } from './pace.ts'

/** The fields of a record, by its key. */
export interface UpsertRow {
  readonly externalId: string
  readonly expectedVersion?: number
}

export interface UpsertAllOptions {
  /**
   * The name of the run, such as `erp-2026-11-24`: 1 to 150 visible ASCII characters. A program that died and is started again with the
   * same run and the same rows applies none of them twice, for as long as the server keeps answers (24 hours by default).
   */
  readonly run: string
  /**
   * Whether an existing record is changed whatever its version is: true unless given. With `false`, rows bring their `expectedVersion`,
   * and a row without one only creates.
   */
  readonly overwrite?: boolean
  /** How many batches of 100 rows are under way at once: 1 to 16, 4 unless given. Halved when the limit of rates is reached. */
  readonly concurrency?: number
  /** Ends the run; what was sent may be applied. */
  readonly signal?: AbortSignal
}

/** Why a row was refused, as the single upsert would have been. */
export interface RowFailure {
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
   * Whether the server had the row already: from an earlier start of the run, or from an attempt whose answer was lost. If the row brings
   * another version than then, `record` is the record as it is now.
   */
  readonly isReplay: boolean
} & (
  | { readonly record: Stored; readonly error?: undefined }
  | { readonly record?: undefined; readonly error: RowFailure }
)

interface Element<Stored> {
  readonly status: number
  readonly data?: Stored
  readonly error?: RowFailure
}

/** The methods of a kind of records that it needs. */
export interface BatchWrites<Row, Stored> {
  batchUpsert(
    body: { items: Row[] },
    query?: { overwrite?: boolean },
    options?: WriteOptions,
  ): Answer<readonly Element<Stored>[]>
  batchGet(body: { items: { externalId: string }[] }, options?: WriteOptions): Answer<readonly Element<Stored>[]>
}

/**
 * Creates or updates any number of records by their `externalId`, in batches of 100. Rows are read as they are needed, so their number is
 * not limited. Yields what became of each row, in order; ends early if the caller stops to ask.
 *
 * A row that is refused is a result with an `error`. What refuses the whole batch, such as a lost connection or a missing scope, is thrown:
 * start the same run again.
 */
export async function* upsertAll<Row extends UpsertRow, Stored>(
  kind: string,
  methods: BatchWrites<Row, Stored>,
  rows: Iterable<Row> | AsyncIterable<Row>,
  { run, overwrite = true, concurrency = 4, ...given }: UpsertAllOptions,
  clock: Clock = realClock,
): AsyncGenerator<UpsertResult<Row, Stored>, void, undefined> {
  if (!/^[!-~]{1,150}$/.test(run)) throw new RangeError('run has 1 to 150 visible ASCII characters')
  if (!(concurrency >= 1 && concurrency <= 16)) throw new RangeError('concurrency is from 1 to 16')
  const ending = new AbortController()
  const signal = given.signal === undefined ? ending.signal : AbortSignal.any([given.signal, ending.signal])
  const pace = new Pace(Math.floor(concurrency))
  const underWay: Promise<UpsertResult<Row, Stored>[]>[] = []

  async function write(chunk: Chunk<Row>): Promise<UpsertResult<Row, Stored>[]> {
    const idempotencyKey = await keyOf(run, kind, chunk)
    const slower = pace.begin()
    const onRetry = (error: CrmError) => {
      if (RateLimited.is(error)) slower()
    }
    for (;;) {
      try {
        const options = { idempotencyKey, signal, onRetry }
        const answer = await methods.batchUpsert({ items: [...chunk.rows] }, { overwrite }, options).withResponse()
        pace.end()
        return resultsOf(chunk, answer.data, answer.response.headers.get('idempotent-replayed') === 'true')
      } catch (error) {
        if (KeyConflict.is(error)) return lookUp(chunk)
        if (!RateLimited.is(error)) throw error
        slower()
        await clock.sleep(1000 * (error.retryAfter ?? 1), signal)
      }
    }
  }

  /** The run was started before, with other versions: the key of the chunk tells that it was applied. */
  async function lookUp(chunk: Chunk<Row>): Promise<UpsertResult<Row, Stored>[]> {
    const items = chunk.rows.map(({ externalId }) => ({ externalId }))
    return resultsOf(chunk, await methods.batchGet({ items }, { signal }), true)
  }

  try {
    for await (const chunk of chunksOf(rows)) {
      signal.throwIfAborted()
      while (underWay.length >= pace.width) yield* (await underWay.shift()) ?? []
      const writing = write(chunk)
      // It is awaited in its turn, when an earlier one may have ended the run already.
      writing.catch(() => {})
      underWay.push(writing)
    }
    for (const writing of underWay) yield* await writing
  } finally {
    ending.abort()
  }
}

function resultsOf<Row, Stored>(
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
