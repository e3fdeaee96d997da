import { type Refusal, refuse } from '../errors/index.ts'
import type { JobRequest } from '../jobs/index.ts'
import type { WriteContext } from '../record/resource.ts'
import type { RowChange } from '../record/table.ts'
import type { Configuration } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { Transaction } from '../sql/index.ts'
import type { Needs } from '../write/needs.ts'
import type { Shown } from '../write/rows.ts'
import type { WorkingSet } from '../write/working-set.ts'
import type { AloneReason } from './alone-reason.ts'

/** What a write gives to the write path. A single write is a batch of one. */
export interface Mutation {
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
   * Pure: decides the next states of the loaded records, or refuses. Steps are applied to the working set; whoever
   * refuses applies none. A decision that may take long is made in steps that each take little time.
   */
  decide(work: WorkingSet, write: WriteContext): Decision | Refusal | Generator<unknown, Decision | Refusal>
}

/**
 * The decision of a mutation in steps; one that is made at once has none. An organization that is read-only refuses what writes, behind
 * the stored answers of requests that are repeated.
 */
export function* decisionInSteps(
  mutation: Mutation,
  work: WorkingSet,
  write: WriteContext,
): Generator<unknown, Decision | Refusal> {
  if (write.configuration.isReadOnly && !mutation.looksOnly)
    return refuse(
      'service_unavailable',
      { reason: 'read_only' },
      'The organization is read-only for the time being: try again later',
    )
  const decision = mutation.decide(work, write)
  return 'next' in decision ? yield* decision : decision
}

export interface Decision {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** Set where the decision found out that all was done by an earlier request with the same key: nothing is written. */
  readonly isReplay?: true
  /** Records whose data stands in the answer. An erasure has to find the stored answer by the persons among them. */
  readonly shown: readonly Shown[]
  /** Ids of other things that the answer tells of, by which an erasure finds it as well. */
  readonly tellsOf?: readonly string[]
  /** Rows to write in addition to those of the changed records. */
  readonly rows?: readonly RowChange[]
  /** What is to be done after the commit. It is queued with the commit, or not at all. */
  readonly jobs?: readonly JobRequest[]
  /** Runs more statements before the save, in the same transaction, such as those that change many rows at once. */
  readonly sweep?: (transaction: Transaction) => Promise<readonly RowChange[]>
}

/** The services that the write path uses. Without lanes, as in commands, every mutation runs alone. */
export type WriteServices = Pick<Services, 'clock' | 'database' | 'resources' | 'secret'> &
  Partial<Pick<Services, 'lanes'>> & {
    readonly configurations: Pick<Services['configurations'], 'known' | 'recent' | 'fresh'>
  }
