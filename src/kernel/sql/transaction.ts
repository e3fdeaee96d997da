import type { Writable } from 'node:stream'
import type pg from 'pg'
import { CommitUncertain, failureOf } from './failure.ts'
import type { Row } from './row.ts'
import { socketOf } from './socket.ts'
import { preparedQuery, type Statement } from './statement.ts'

// PostgreSQL itself ends a statement after 30 s. One that says nothing then does not answer any more.
const longestMilliseconds = 35_000

/**
 * A transaction on a pipelined connection: statements are on their way as soon as they are queued, so those queued
 * together travel in one round trip.
 */
export class Transaction {
  readonly #client: pg.PoolClient
  readonly #stream: Writable | undefined
  #ended = false
  #lost = false
  readonly #lose = () => {
    this.#lost = true
  }

  constructor(client: pg.PoolClient) {
    this.#client = client
    this.#stream = socketOf(client)
    client.on('error', this.#lose)
    this.#hold()
    // A failure shows in the statement behind it.
    client.query('begin').catch(() => {})
  }

  /** Throws what the driver throws; `patience` is how many milliseconds an answer may take. */
  async query<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    patience = longestMilliseconds,
  ): Promise<R[]> {
    this.#hold()
    try {
      const result = await this.#client.query<R>(preparedQuery(statement, values, patience))
      return result.rows
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
    const alive = !this.#lost && !this.#ended && this.#stream?.destroyed !== true
    this.#ended = true
    this.#hold()
    const [lastOutcome, outcome] = await Promise.allSettled([last, this.#client.query('commit')])
    this.#release(outcome.status === 'rejected' ? outcome.reason : undefined)
    if (lastOutcome.status === 'rejected') {
      const { reason } = lastOutcome
      // What PostgreSQL refused, or what never left, took no effect. What was cut off on its way may have.
      const refused = reason instanceof Error && 'severity' in reason
      if (alive && !refused && failureOf(reason) === 'unavailable') throw new CommitUncertain(reason)
      throw reason
    }
    if (outcome.status === 'rejected') throw new CommitUncertain(outcome.reason)
    // PostgreSQL answers the COMMIT of a failed transaction with success and the word ROLLBACK.
    if (outcome.value.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  }

  /** Gives everything up, and waits for it: locks end here, and the client's next request must not meet them. */
  async rollback(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#client.query('rollback').then(
      () => this.#release(),
      error => this.#release(error),
    )
  }

  #release(error?: unknown): void {
    // The pool destroys a connection that is given back with an error.
    this.#client.off('error', this.#lose)
    this.#client.release(error instanceof Error ? error : error !== undefined)
  }

  /** What is queued in one turn leaves in one write; the driver alone would write each statement by itself. */
  #hold(): void {
    const stream = this.#stream
    if (stream === undefined || stream.writableCorked > 0) return
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
}
