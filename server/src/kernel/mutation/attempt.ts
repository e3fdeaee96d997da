import type { Refusal } from '../errors/index.ts'
import type { FileName } from '../files/index.ts'
import type { Outcome } from '../operation.ts'
import type { KeyOwner } from '../write/load.ts'
import type { AcquiredLocks } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'
import type { AloneReason } from './mutation.ts'
import type { DecidedWrite, FirstNeeds, Write } from './pending-write.ts'

/** A write whose needs are locked and loaded. */
export interface LoadedWrite {
  readonly write: Write
  readonly first: FirstNeeds
  readonly owner: KeyOwner
  /** Its view of the records that were loaded for its application. */
  readonly work: WorkingSet
  readonly held: AcquiredLocks
}

/** The end of a write. */
export interface Ended {
  /** Its answer or its refusal; null if it was carried out and has no answer. */
  readonly outcome: Outcome | Refusal | null
  /** Files that no longer count. */
  readonly drops: readonly FileName[]
}

/** The result of an attempt: writes that have ended, and those that have to run alone, and why. */
export interface Attempt {
  readonly ended: ReadonlyMap<Write, Ended>
  readonly alone: readonly (readonly [Write, AloneReason])[]
}

/** The decisions about writes. They are reported only after the end of the transaction, because each may depend on uncommitted ones. */
export interface DecidedWrites {
  readonly decided: DecidedWrite[]
  /** Those that write nothing: refusals, and decisions that everything was done before. */
  readonly ended: (readonly [Write, Outcome | Refusal])[]
  /** Those that have to run alone, and why. */
  readonly alone: (readonly [Write, AloneReason])[]
}
