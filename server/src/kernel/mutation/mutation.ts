import type { Refusal } from '../errors/index.ts'
import type { FileName } from '../files/index.ts'
import type { JobRequest } from '../jobs/index.ts'
import type { RowChange, WriteContext } from '../record/index.ts'
import type { Configuration, JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { Transaction } from '../sql/index.ts'
import type { Needs } from '../write/needs.ts'
import type { Shown } from '../write/rows.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** The input of the write path. A single write is a batch of one. `Refused` is `never` if the mutation never refuses. */
export interface Mutation<Result, Refused extends Refusal = Refusal> {
  /** Set for a preview: it changes nothing, so it locks nothing. */
  readonly looksOnly?: true
  /** Why the mutation shares no transaction with others, if that does not follow from its needs. */
  readonly runsAlone?: AloneReason
  /**
   * Adds what has to be locked and loaded, as far as it follows from what is already loaded; on the first call nothing is. It is called
   * again after each round until it adds nothing.
   */
  needs(needs: Needs, work: WorkingSet, configuration: Configuration): void
  /**
   * Pure: decides the next states of the loaded records, or refuses. Steps are applied to the working set; a refusal applies none. A
   * decision that may take long is made in short steps.
   */
  decide(
    work: WorkingSet,
    write: WriteContext,
  ): Decision<Result> | Refused | Generator<unknown, Decision<Result> | Refused>
}

export interface Decision<Result> {
  /** The result for the caller, from which the answer is made. */
  readonly result: Result
  /** Set if an earlier request with the same key has already done everything: nothing is written. */
  readonly isReplay?: true
  /** Rows to write in addition to those of the changed records. */
  readonly rows?: readonly RowChange[]
  /** Events to publish after those of the changed records. */
  readonly events?: readonly Record<string, unknown>[]
  /** Jobs to run after the commit. They are queued with the commit, or not at all. */
  readonly jobs?: readonly JobRequest[]
  /** Files that no longer count. Their bytes are removed after the commit. */
  readonly drops?: readonly FileName[]
  /** Runs more statements before the save, in the same transaction, such as those that change many rows at once. */
  readonly sweep?: (transaction: Transaction) => Promise<Swept>
}

/** The results of the statements of a sweep: more rows to write, and more files to drop. */
export type Swept = Pick<Decision<unknown>, 'rows' | 'drops'>

/** Makes the answer of a request from the result of its decision. It runs in the transaction, before the save. */
export type MakeAnswer<Result> = (result: Result, write: WriteContext) => Answer | Generator<unknown, Answer>

/** The answer of a request, unredacted. It is stored under the idempotency key of the request. */
export interface Answer {
  readonly status: number
  readonly data: unknown
  readonly meta?: JsonObject
  /** Records whose data the answer contains. An erasure finds the stored answer by the persons among them. */
  readonly shown?: readonly Shown[]
  /** Ids of other things that the answer mentions, by which an erasure also finds it. */
  readonly tellsOf?: readonly string[]
}

/** The services that the write path uses. Without groupQueues, as in commands, every mutation runs alone. */
export type WriteServices = Pick<Services, 'clock' | 'database' | 'resources' | 'secret'> &
  Partial<Pick<Services, 'groupQueues' | 'feedTails' | 'files' | 'onFailure'>> & {
    readonly configurations: Pick<Services['configurations'], 'known' | 'recent' | 'fresh'>
  }

/**
 * Why a mutation runs in a transaction of its own although others of its organization are under way (docs/adr/0016).
 *
 * - `preview`: it changes nothing, so it locks nothing.
 * - `settings`: it changes the configuration that the others depend on.
 * - `size`: it changes many records, gains little from a shared commit, and would delay the others.
 * - `jobs`: it adds jobs, and may have to wait for a lock of the queue.
 * - `rows`: its rules need rows that others may change, or whose locks it has to wait for.
 * - `rounds`: its needs depend on loaded data, which costs another round trip.
 * - `locked`: another transaction has locked a row or a key that it needs.
 * - `neighbour`: another mutation of its group has changed the record, and its rules need the data as it was loaded.
 * - `statements`: it runs statements of its own before the save.
 */
export const aloneReasons = [
  'preview',
  'settings',
  'size',
  'jobs',
  'rows',
  'rounds',
  'locked',
  'neighbour',
  'statements',
] as const

export type AloneReason = (typeof aloneReasons)[number]
