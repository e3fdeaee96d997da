import { Writable } from 'node:stream'
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
  readonly #stream: Writable | undefined
  #ended = false

  constructor(client: pg.PoolClient) {
    this.#client = client
    this.#stream = streamOf(client)
    this.#hold()
    // A failure shows in the statement behind it.
    client.query('begin').catch(() => {})
  }

  async query<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    this.#hold()
    const result = await this.#client.query<R>({ name: statement.name, text: statement.text, values: [...values] })
    return result.rows
  }

  /**
   * Ends the transaction; `last` is a statement queued just before, which travels with it. Throws what `last` threw,
   * or `CommitUncertain` when the connection was lost after the commit was sent.
   */
  async commit(last?: Promise<unknown>): Promise<void> {
    this.#ended = true
    this.#hold()
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

  /** Gives everything up, and waits for it: locks end here, and the client's next request must not meet them. */
  async rollback(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#client.query('rollback').then(
      () => this.#client.release(),
      error => this.#client.release(error),
    )
  }

  /** What is queued in one turn leaves in one write; the driver alone would write each statement by itself. */
  #hold(): void {
    const stream = this.#stream
    if (stream === undefined || stream.writableCorked > 0) return
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
}

/** The driver's socket, which it has but does not declare. */
function streamOf(client: object): Writable | undefined {
  const connection = 'connection' in client ? client.connection : undefined
  const holder =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : undefined
  return holder instanceof Writable ? holder : undefined
}
