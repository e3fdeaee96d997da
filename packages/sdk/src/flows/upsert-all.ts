import type { Answer } from '../core/answer.ts'
import { realClock } from '../core/clock.ts'
import { type CrmError, RateLimited } from '../core/errors.ts'
import { textOf } from '../core/json.ts'
import type { WriteOptions } from '../core/options.ts'
import { type Chunk, chunksOf, keyOf } from './chunks.ts'
import { Pace } from './pace.ts'
import { refusesParameter } from './refused-parameter.ts'
import { type Resting, restAfter } from './rest.ts'
import { decidedResultsOf, type Element, resultsOf, type UpsertResult, wasDecidedBefore } from './results.ts'

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
   * and a row without one only creates: for an existing record its result has the error `precondition_required`. So it does with a server
   * of release 0.1.0, which cannot overwrite.
   */
  readonly overwrite?: boolean
  /** How many batches of 100 rows are under way at once: 1 to 16, 4 unless given. Halved when the limit of rates is reached. */
  readonly concurrency?: number
  /** Ends the run; what was sent may be applied. */
  readonly signal?: AbortSignal
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
 * not limited. Yields what became of each row, in order; ends early if the caller stops to ask. Of rows with the same `externalId`, the last
 * one wins.
 *
 * A row that is refused is a result with an `error`. So is one whose batch was decided before with other content (`decided_before`). What
 * refuses the whole batch, such as a lost connection or a missing scope, is thrown: start the same run again.
 *
 * @throws TypeError if a row brings `expectedVersion` although `overwrite` is true; its batch is not sent.
 * @throws RateLimited if the server asks for a rest of more than 120 seconds.
 */
export async function* upsertAll<Row extends UpsertRow, Stored>(
  kind: string,
  methods: BatchWrites<Row, Stored>,
  rows: Iterable<Row> | AsyncIterable<Row>,
  { run, overwrite = true, concurrency = 4, ...given }: UpsertAllOptions,
  resting: Resting = { clock: realClock },
): AsyncGenerator<UpsertResult<Row, Stored>, void, undefined> {
  if (!/^[!-~]{1,150}$/.test(run)) throw new RangeError('run has 1 to 150 visible ASCII characters')
  if (!(concurrency >= 1 && concurrency <= 16)) throw new RangeError('concurrency is from 1 to 16')
  const ending = new AbortController()
  const signal = given.signal === undefined ? ending.signal : AbortSignal.any([given.signal, ending.signal])
  const pace = new Pace(Math.floor(concurrency))
  let knowsOverwrite = true
  const underWay: { readonly keys: ReadonlySet<unknown>; readonly results: Promise<UpsertResult<Row, Stored>[]> }[] = []

  async function write(chunk: Chunk<Row>): Promise<UpsertResult<Row, Stored>[]> {
    const idempotencyKey = await keyOf(run, kind, overwrite, chunk)
    const slower = pace.begin()
    const onRetry = (error: CrmError) => {
      if (RateLimited.is(error)) slower()
    }
    const options = { signal, onRetry }
    const send = () => {
      const query = overwrite && knowsOverwrite ? { overwrite } : {}
      return methods.batchUpsert({ items: [...chunk.rows] }, query, { ...options, idempotencyKey }).withResponse()
    }
    try {
      const answer = await withinLimits(`${kind}.batchUpsert`, slower, send).catch((error: unknown) => {
        if (!(overwrite && refusesParameter(error, 'overwrite'))) throw error
        knowsOverwrite = false
        return withinLimits(`${kind}.batchUpsert`, slower, send)
      })
      pace.end()
      return resultsOf(chunk, answer.data, answer.response.headers.get('idempotent-replayed') === 'true')
    } catch (error) {
      if (!wasDecidedBefore(error)) throw error
      const items = chunk.sent.map(row => ({ externalId: textOf(row, 'externalId') }))
      const found = await withinLimits(`${kind}.batchGet`, slower, () => methods.batchGet({ items }, options))
      return decidedResultsOf(chunk, error, found)
    }
  }

  /** Makes a call again for as long as the limit of rates refuses it. */
  async function withinLimits<T>(operation: string, slower: () => void, call: () => PromiseLike<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (!RateLimited.is(error)) throw error
        slower()
        await restAfter(error, error.retryAfter ?? 1, { operation, attempt, signal }, resting)
      }
    }
  }

  try {
    for await (const chunk of chunksOf(rows)) {
      signal.throwIfAborted()
      if (overwrite) refuseVersions(chunk)
      const keys = new Set(chunk.sent.map(({ externalId }) => externalId))
      // A batch that is sent beside an earlier one may be applied before it, so it must not have the same records.
      while (underWay.length >= pace.width || underWay.some(earlier => [...keys].some(key => earlier.keys.has(key))))
        yield* (await underWay.shift()?.results) ?? []
      const results = write(chunk)
      // It is awaited in its turn, when an earlier one may have ended the run already.
      results.catch(() => {})
      underWay.push({ keys, results })
    }
    for (const { results } of underWay) yield* await results
  } finally {
    ending.abort()
  }
}

/** The server refuses each of these rows, and keeps that answer. */
function refuseVersions({ start, sent }: Chunk<object>): void {
  const place = sent.findIndex(row => Object.hasOwn(row, 'expectedVersion'))
  if (place < 0) return
  throw new TypeError(
    `row ${start + place} brings expectedVersion, but overwrite is true: give overwrite: false, or leave expectedVersion out`,
  )
}
