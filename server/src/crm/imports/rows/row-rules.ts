import type { Mutation, WriteContext } from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { RowOutcome } from './row-outcome.ts'

/** How the rows of a chunk are decided: what has to be locked and loaded for them, and what becomes of each. */
export interface RowRules {
  /** As `Mutation.needs`. */
  readonly needs: Mutation<unknown>['needs']
  /**
   * Pure: decides the first rows, `most` of them, in their order, and applies the steps of those that are not refused. A row
   * is a step.
   */
  decideInSteps(work: WorkingSet, write: WriteContext, most: number): Generator<unknown, readonly RowOutcome[]>
}
