import type { Row, Statement } from '../sql/index.ts'

/**
 * Rows that a decision needs beside records: the statement that loads them, and what the decision reads from them. `needs` asks for it,
 * and `WorkingSet.read` answers it: for a look-up with the same statement and the same values, so both may make it anew.
 */
export class Lookup<Value = readonly Row[]> {
  /** A `claimedStatement`. */
  readonly statement: Statement
  /** The parameters from $2 on; $1 is the organization. */
  readonly values: readonly unknown[]
  /** What the decision gets. It also gets it, of no rows, as long as nothing is loaded. */
  readonly from: (rows: readonly Row[]) => Value
  /** Set where a request that asks for these rows can be one of a group. Otherwise it runs alone. */
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

  /** The identity of its rows in a transaction. */
  get key(): string {
    this.#key ??= `${this.statement.name} ${JSON.stringify(this.values)}`
    return this.#key
  }
}

/**
 * What holds for the rows of a `Lookup` in a group, whose requests are decided one after another on rows that were all
 * loaded before (docs/adr/0016). `stays`: a rule that reads them also sees what others of the group have changed, or
 * those change none of it. `of the record`: they stay true as long as no other of the group changes the record that the
 * request changes. The third form is for rows that are locked: a group waits for no lock.
 */
export type InGroup = 'stays' | 'of the record' | TryingLock

interface TryingLock {
  /** Instead of the other statement: it leaves out rows that are locked elsewhere. */
  readonly tries: Statement
  /** The rows that have to be among the locked ones. */
  readonly locks: Lookup<unknown>
}
