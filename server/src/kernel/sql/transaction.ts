import type pg from 'pg'
import { yieldToEventLoop } from '../admission/index.ts'
import type { Distribution } from './distribution.ts'
import { CommitUncertain, failureOf } from './failure.ts'
import { PipelinedBatch, type QueuedStatement, type StatementResult } from './pipelined-batch.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

// PostgreSQL cancels a statement after 30 s. If no answer has arrived by now, none will.
const longestMilliseconds = 35_000

const begin = statement('begin', 'begin')
const commit = statement('commit', 'commit')
const rollback = statement('rollback', 'rollback')

/**
 * A transaction on a pipelined connection. Statements queued in one turn of the event loop are sent in one write to the socket; those with
 * the same timeout are one `PipelinedBatch`.
 */
export class Transaction {
  /** How rows are distributed, if the database is a cluster: the save has another form there. */
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

  /** `whenReleased` is called when the connection is released. */
  constructor(client: pg.PoolClient, distribution: Distribution | null, whenReleased: () => void = () => {}) {
    this.distribution = distribution
    this.#client = client
    this.#whenReleased = whenReleased
    client.on('error', this.#lose)
  }

  /** Whether an answer was large. Decisions on it may take long, so they yield to the event loop. */
  get hasLoadedMuch(): boolean {
    return this.#hasLoadedMuch
  }

  /**
   * Queues a statement and resolves to its rows; throws the errors of the driver. `patience` is the timeout of the answer in milliseconds.
   */
  async query<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    patience = longestMilliseconds,
  ): Promise<R[]> {
    if (!this.#begun) {
      this.#begun = true
      // If `begin` fails, the statement after it fails with the same error.
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
   * Ends the transaction. `last` is a statement that was queued just before, and is sent together with the commit. Throws the error of
   * `last`, or `CommitUncertain` if the connection was lost after the commit was sent.
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

  /** Rolls back and waits for the answer: locks must be released before the client can send its next request. */
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
    // The pool closes a connection that is released with an error.
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
    // Only a large answer yields.
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
