import type { Bind } from '../sql/index.ts'

/** Which records a list shows, and in which order. */
export interface ListSelection {
  readonly conditions: readonly ListCondition[]
  readonly order: ListOrder
}

/** A condition that all records of a list meet. */
export interface ListCondition {
  /** SQL of the condition on the record `t`; $1 is the organization, $2 the application. It can be checked on each row. */
  text(bind: Bind): string
  /** Set if an index finds the records that meet it: a rank, smaller where fewer records usually do. */
  readonly frequency?: number
  /** SQL of the value that a range limits, as an order has it: a walk in this order looks at nothing else. */
  readonly limits?: string
}

/** The order of a list. Records with equal values are in the order of their ids, in the same direction. Empty values come last both ways. */
export interface ListOrder {
  /** SQL of the value on the record `t`, as an index has it. */
  readonly value: string
  /** PostgreSQL type of the value, for the parameter of a cursor. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether the value is the time of the last change. No index of the records has it, but the table `last_changes` (ADR 0029). */
  readonly isLastChange?: boolean
  readonly descends: boolean
}
