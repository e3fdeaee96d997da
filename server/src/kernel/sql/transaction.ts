import type pg from 'pg'
import { yieldToEventLoop } from '../admission/index.ts'
import type { Distribution } from './distribution.ts'
import { CommitUncertain, failureOf } from './failure.ts'
import { PipelinedBatch, type QueuedStatement, type StatementResult } from './pipelined-batch.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

// PostgreSQL ends a statement after 30 s. If no answer came by now, none will come.
const longestMilliseconds = 35_000

const begin = statement('begin', 'begin')
const commit = statement('commit', 'commit')
const rollback = statement('rollback', 'rollback')

/**
 * A transaction on a pipelined connection. Statements that are queued in one turn of the event loop leave in one write
 * to the socket; those of them that have the same patience are one `PipelinedBatch`.
 */
export class Transaction {
  /** Where rows are, if the database is a cluster: the save has another form there. */
  readonly distribution: Distribution | null
  readonly #client: pg.PoolClient
  readonly #whenReleased: () => void
  readonly #queue: { readonly patience: number; readonly statements: QueuedStatement[] }[] = []
  #begun = false
  #hasLoadedMuch = false
  #ended = false
  #lost = false
  readonly #lose = () => {
    this.#lost = true
  }

  /** `whenReleased` is called when the connection is given back. */
  constructor(client: pg.PoolClient, distribution: Distribution | null, whenReleased: () => void = () => {}) {
    this.distribution = distribution
    this.#client = client
    this.#whenReleased = whenReleased
    client.on('error', this.#lose)
  }

  /** Whether an answer was large. What is decided on it may take long, and gives way to others meanwhile. */
  get hasLoadedMuch(): boolean {
    return this.#hasLoadedMuch
  }

  /**
   * Queues a statement and resolves to its rows; throws what the driver throws. `patience` is how many milliseconds the
   * answer may take.
   */
  async query<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    patience = longestMilliseconds,
  ): Promise<R[]> {
    if (!this.#begun) {
      this.#begun = true
      // If `begin` fails, the statement behind it fails with the same error.
      this.#ask(begin, [], patience).catch(() => {})
    }
    try {
      const { rows } = await this.#ask(statement, values, patience)
      return rows
    } catch (error) {
      if (failureOf(error) === 'unavailable') this.#lost = true
      throw error
    }
  }

  /**
   * Ends the transaction. `last` is a statement that was queued just before, and travels with the commit. Throws what
   * `last` threw, or `CommitUncertain` if the connection was lost after the commit was sent.
   */
  async commit(last?: Promise<unknown>): Promise<void> {
    const alive = !this.#lost && !this.#ended && !this.#client.connection.stream.destroyed
    this.#ended = true
    const [lastOutcome, outcome] = await Promise.allSettled([last, this.#ask(commit, [])])
    if (lastOutcome.status === 'rejected') {
      const { reason } = lastOutcome
      await this.#undo()
      // An error from PostgreSQL, or one before the commit was sent, means that nothing took effect. After a lost
      // connection that is unknown.
      const refused = reason instanceof Error && 'severity' in reason
      if (alive && !refused && failureOf(reason) === 'unavailable') throw new CommitUncertain(reason)
      throw reason
    }
    this.#release(outcome.status === 'rejected' ? outcome.reason : undefined)
    if (outcome.status === 'rejected') throw new CommitUncertain(outcome.reason)
    // PostgreSQL answers the COMMIT of a failed transaction with success and the command tag ROLLBACK.
    if (outcome.value.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  }

  /** Rolls back and waits for it: locks end here, before the client can send its next request. */
  async rollback(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    if (this.#begun) await this.#undo()
    else this.#release()
  }

  async #undo(): Promise<void> {
    await this.#ask(rollback, []).then(
      () => this.#release(),
      error => this.#release(error),
    )
  }

  #release(error?: unknown): void {
    // The pool closes a connection that is given back with an error.
    this.#client.off('error', this.#lose)
    this.#client.release(error instanceof Error ? error : error !== undefined)
    this.#whenReleased()
  }

  #ask(statement: Statement, values: readonly unknown[], patience = longestMilliseconds): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      const queued = { statement, values, resolve, reject }
      if (this.#queue.length === 0) process.nextTick(() => this.#send())
      const last = this.#queue.at(-1)
      if (last?.patience === patience) last.statements.push(queued)
      else this.#queue.push({ patience, statements: [queued] })
    })
  }

  #send(): void {
    const { stream } = this.#client.connection
    // Only a large answer gives way.
    const giveWay = () => {
      this.#hasLoadedMuch = true
      return yieldToEventLoop()
    }
    stream.cork()
    for (const { patience, statements } of this.#queue.splice(0))
      this.#client.query(new PipelinedBatch(statements, patience, giveWay))
    stream.uncork()
  }
}
