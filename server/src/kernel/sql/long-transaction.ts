import type { Readable } from 'node:stream'
import type pg from 'pg'
import { CopyIn, CopyOut } from './copy.ts'
import { PipelinedBatch, type StatementResult, type TakeRow } from './pipelined-batch.ts'
import type { Row } from './row.ts'
import type { Statement } from './statement.ts'

/** Receives the rows of an answer one by one, and applies backpressure. */
export interface RowFlow {
  readonly take: TakeRow
  /** Awaited before each next part of a large answer is read. An error ends the transaction. */
  giveWay(): Promise<void>
}

/** A transaction without time limits, on a connection of its own. */
export class LongTransaction {
  readonly #client: pg.Client

  constructor(client: pg.Client) {
    this.#client = client
  }

  /** Runs one statement, planned for its values, and resolves to its rows; to an empty list if `flow` has received them. */
  async query(statement: Statement, values: readonly unknown[], flow?: RowFlow): Promise<Row[]> {
    const { rows } = await this.#ask(statement, values, flow)
    return rows
  }

  /** Runs a `copy … to stdout`, no faster than the reader. */
  copyOut({ text }: Statement): Readable {
    const copy = new CopyOut(text)
    this.#client.query(copy)
    return copy.output
  }

  /** Runs a `copy … from stdin` with rows in that format, and resolves to their number. */
  copyIn({ text }: Statement, rows: AsyncIterable<Uint8Array>): Promise<number> {
    const copy = new CopyIn(text, rows)
    this.#client.query(copy)
    return copy.written
  }

  /** Throws if PostgreSQL rolled back instead. */
  async commit(): Promise<void> {
    const { command } = await this.#ask({ name: '', text: 'commit' }, [])
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  }

  #ask({ text }: Statement, values: readonly unknown[], flow?: RowFlow): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      const queued = { statement: { name: '', text }, values, take: flow?.take, resolve, reject }
      const giveWay = flow === undefined ? null : () => flow.giveWay()
      this.#client.query(new PipelinedBatch([queued], Number.POSITIVE_INFINITY, giveWay))
    })
  }
}
