import type { Refusal } from '../errors/index.ts'
import type { FileName } from '../files/index.ts'
import type { JobRequest } from '../jobs/index.ts'
import type { WriteContext } from '../record/resource.ts'
import type { RowChange } from '../record/table.ts'
import type { Configuration, JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { Transaction } from '../sql/index.ts'
import type { Needs } from '../write/needs.ts'
import type { Shown } from '../write/rows.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** What a write gives to the write path. A single write is a batch of one. `Refused` is `never` where nothing is refused. */
export interface Mutation<Result, Refused extends Refusal = Refusal> {
  /** Set for a preview: it changes nothing, so nothing is locked. */
  readonly looksOnly?: true
  /** Why the mutation shares no transaction with others, where that does not follow from what it needs. */
  readonly runsAlone?: AloneReason
  /**
   * Adds what has to be locked and loaded, as far as it follows from what is loaded already; in the first call that is
   * nothing. It is called again after each round until it adds nothing.
   */
  needs(needs: Needs, work: WorkingSet, configuration: Configuration): void
  /**
   * Pure: decides the next states of the loaded records, or refuses. Steps are applied to the working set; a decision that
   * refuses applies none. A decision that may take long is made in steps that each take little time.
   */
  decide(
    work: WorkingSet,
    write: WriteContext,
  ): Decision<Result> | Refused | Generator<unknown, Decision<Result> | Refused>
}

export interface Decision<Result> {
  /** What the caller gets, and the answer is made of. */
  readonly result: Result
  /** Set where the decision found out that all was done by an earlier request with the same key: nothing is written. */
  readonly isReplay?: true
  /** Rows to write in addition to those of the changed records. */
  readonly rows?: readonly RowChange[]
  /** What is to be done after the commit. It is queued with the commit, or not at all. */
  readonly jobs?: readonly JobRequest[]
  /** Files that do not count any more. Their bytes are removed after the commit. */
  readonly drops?: readonly FileName[]
  /** Runs more statements before the save, in the same transaction, such as those that change many rows at once. */
  readonly sweep?: (transaction: Transaction) => Promise<Swept>
}

/** What the statements of a sweep have found out: more rows to write, and more files to drop. */
export type Swept = Pick<Decision<unknown>, 'rows' | 'drops'>

/** Makes the answer of a request from the result of its decision. It runs in the transaction, before the save. */
export type MakeAnswer<Result> = (result: Result, write: WriteContext) => Answer | Generator<unknown, Answer>

/** The answer of a request, unredacted. It is stored under the idempotency key of the request. */
export interface Answer {
  readonly status: number
  readonly data: unknown
  readonly meta?: JsonObject
  /** Records whose data stands in the answer. An erasure has to find the stored answer by the persons among them. */
  readonly shown?: readonly Shown[]
  /** Ids of other things that the answer tells of, by which an erasure finds it as well. */
  readonly tellsOf?: readonly string[]
}

/** The decision of a mutation in steps; one that is made at once has none. */
export function* decisionInSteps<Result, Refused extends Refusal>(
  mutation: Mutation<Result, Refused>,
  work: WorkingSet,
  write: WriteContext,
): Generator<unknown, Decision<Result> | Refused> {
  const decision = mutation.decide(work, write)
  return 'next' in decision ? yield* decision : decision
}

/** The services that the write path uses. Without groupQueues, as in commands, every mutation runs alone. */
export type WriteServices = Pick<Services, 'clock' | 'database' | 'resources' | 'secret'> &
  Partial<Pick<Services, 'groupQueues' | 'files' | 'onFailure'>> & {
    readonly configurations: Pick<Services['configurations'], 'known' | 'recent' | 'fresh'>
  }

/**
 * Why a mutation has a transaction of its own although others of its organization are under way (docs/adr/0016).
 *
 * - `preview`: it changes nothing, so it locks nothing.
 * - `settings`: it changes what the others are decided by.
 * - `size`: it changes many records, gains little by company, and the others would wait for all of it.
 * - `jobs`: it adds jobs, and the queue may let it wait for a lock.
 * - `rows`: its rules ask for rows that others may change, or that it has to wait for.
 * - `rounds`: what it needs follows from what is loaded, and costs another round trip.
 * - `locked`: somebody else has locked a row or a key that it needs.
 * - `neighbour`: another one of its group has changed the record, and its rules look at what was loaded.
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
