import type { Row, Statement } from '../sql/index.ts'

/**
 * Rows that a decision needs beside records: the statement that loads them, and how to read them. `needs` requests a look-up, and
 * `WorkingSet.read` returns its result. Look-ups with the same statement and values are the same, so both may construct it anew.
 */
export class Lookup<Value = readonly Row[]> {
  /** A `claimedStatement`. */
  readonly statement: Statement
  /** The parameters from $2 on; $1 is the organization. */
  readonly values: readonly unknown[]
  /** Converts the rows to the value that the decision gets. As long as nothing is loaded, it is called without rows. */
  readonly from: (rows: readonly Row[]) => Value
  /** Set if a request that needs these rows can be in a group. Otherwise it runs alone. */
  readonly inGroup: InGroup | null
  #key: string | null = null

  constructor(
    statement: Statement,
    values: readonly unknown[],
    from: (rows: readonly Row[]) => Value,
    inGroup: InGroup | null = null,
  ) {
    this.statement = statement
    this.values = values
    this.from = from
    this.inGroup = inGroup
  }

  /** All rows, as they are. */
  static rows(statement: Statement, values: readonly unknown[], inGroup: InGroup | null = null): Lookup {
    return new Lookup(statement, values, rows => rows, inGroup)
  }

  /** The first row, or null. */
  static row(statement: Statement, values: readonly unknown[]): Lookup<Row | null> {
    return new Lookup(statement, values, ([row]) => row ?? null)
  }

  /** Identifies its rows within a transaction. */
  get key(): string {
    this.#key ??= `${this.statement.name} ${JSON.stringify(this.values)}`
    return this.#key
  }
}

/**
 * How the rows of a `Lookup` behave in a group, whose requests are decided one after another on rows that were all loaded before
 * (docs/adr/0016). `stays`: the others of the group change none of what the rule reads, or the rule also sees their changes. `of the
 * record`: the rows stay valid as long as no other request of the group changes the same record. `TryingLock` is for rows that are locked:
 * a group waits for no lock.
 */
export type InGroup = 'stays' | 'of the record' | TryingLock

interface TryingLock {
  /** Replaces the other statement: it skips rows that are locked elsewhere. */
  readonly tries: Statement
  /** The rows that must be among the locked ones. */
  readonly locks: Lookup<unknown>
}
