import type pg from 'pg'
import type { Row } from './database.ts'
import { CommitUncertain, failureOf } from './failure.ts'
import type { Statement } from './statement.ts'

/**
 * A transaction on a pipelined connection: statements are on their way as soon as they are queued, so those queued
 * together travel in one round trip.
 */
export class Transaction {
  readonly #client: pg.PoolClient
  readonly #begun: Promise<unknown>
  #ended = false

  constructor(client: pg.PoolClient) {
    this.#client = client
    this.#begun = client.query('begin')
    this.#begun.catch(() => {})
  }

  async query<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const result = await this.#client.query<R>({ name: statement.name, text: statement.text, values: [...values] })
    return result.rows
  }

  /**
   * Ends the transaction; `last` is a statement queued just before, which travels with it. Throws what `last` threw,
   * or `CommitUncertain` when the connection was lost after the commit was sent.
   */
  async commit(last?: Promise<unknown>): Promise<void> {
    this.#ended = true
    const [lastOutcome, outcome] = await Promise.allSettled([last, this.#client.query('commit')])
    const lost = outcome.status === 'rejected' ? outcome.reason : undefined
    this.#client.release(lost instanceof Error ? lost : lost !== undefined)
    if (lastOutcome.status === 'rejected') {
      // A statement that PostgreSQL refused never took effect. One that was cut off may have been committed.
      const reason = lastOutcome.reason
      if (lost !== undefined && failureOf(reason) === 'unavailable') throw new CommitUncertain(reason)
      throw reason
    }
    if (outcome.status === 'rejected') throw new CommitUncertain(lost)
    // PostgreSQL answers the COMMIT of a failed transaction with success and the word ROLLBACK.
    if (outcome.value.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  }

  /** Gives everything up. Does not wait: whoever uses the connection next comes behind the rollback. */
  rollback(): void {
    if (this.#ended) return
    this.#ended = true
    this.#client.query('rollback').then(
      () => this.#client.release(),
      error => this.#client.release(error),
    )
  }
}
