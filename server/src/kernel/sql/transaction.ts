import type pg from 'pg'
import { nextSlice } from '../admission/index.ts'
import { CommitUncertain, failureOf } from './failure.ts'
import { type Answer, PipelinedBatch, type QueuedStatement } from './pipelined-batch.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

// PostgreSQL itself ends a statement after 30 s. One that says nothing then does not answer any more.
const longestMilliseconds = 35_000

const begin = statement('begin', 'begin')
const commit = statement('commit', 'commit')
const rollback = statement('rollback', 'rollback')

/**
 * A transaction on a pipelined connection. Statements that are queued in one turn of the event loop leave in one write
 * to the socket; those of them that have the same patience are one `PipelinedBatch`.
 */
export class Transaction {
  readonly #client: pg.PoolClient
  readonly #whenReleased: () => void
  readonly #queue: { readonly patience: number; readonly statements: QueuedStatement[] }[] = []
  #begun = false
  #ended = false
  #lost = false
  readonly #lose = () => {
    this.#lost = true
  }

  /** `whenReleased` is called when the connection is given back. */
  constructor(client: pg.PoolClient, whenReleased: () => void = () => {}) {
    this.#client = client
    this.#whenReleased = whenReleased
    client.on('error', this.#lose)
  }

  /** Throws what the driver throws; `patience` is how many milliseconds an answer may take. */
  async query<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    patience = longestMilliseconds,
  ): Promise<R[]> {
    if (!this.#begun) {
      this.#begun = true
      // A failure shows in the statement behind it.
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
   * Ends the transaction; `last` is a statement queued just before, which travels with it. Throws what `last` threw,
   * or `CommitUncertain` when the connection was lost after the commit was sent.
   */
  async commit(last?: Promise<unknown>): Promise<void> {
    const alive = !this.#lost && !this.#ended && !this.#client.connection.stream.destroyed
    this.#ended = true
    const [lastOutcome, outcome] = await Promise.allSettled([last, this.#ask(commit, [])])
    if (lastOutcome.status === 'rejected') {
      const { reason } = lastOutcome
      await this.#undo()
      // What PostgreSQL refused, or what never left, took no effect. What was cut off on its way may have.
      const refused = reason instanceof Error && 'severity' in reason
      if (alive && !refused && failureOf(reason) === 'unavailable') throw new CommitUncertain(reason)
      throw reason
    }
    this.#release(outcome.status === 'rejected' ? outcome.reason : undefined)
    if (outcome.status === 'rejected') throw new CommitUncertain(outcome.reason)
    // PostgreSQL answers the COMMIT of a failed transaction with success and the word ROLLBACK.
    if (outcome.value.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  }

  /** Gives everything up, and waits for it: locks end here, and the client's next request must not meet them. */
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
    // The pool destroys a connection that is given back with an error.
    this.#client.off('error', this.#lose)
    this.#client.release(error instanceof Error ? error : error !== undefined)
    this.#whenReleased()
  }

  #ask(statement: Statement, values: readonly unknown[], patience = longestMilliseconds): Promise<Answer> {
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
    stream.cork()
    for (const { patience, statements } of this.#queue.splice(0))
      this.#client.query(new PipelinedBatch(statements, patience, nextSlice))
    stream.uncork()
  }
}
