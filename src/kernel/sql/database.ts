import { callbackify } from 'node:util'
import pg from 'pg'
import { type Answer, Exchange, isOverdue } from './exchange.ts'
import { DatabaseSilent } from './failure.ts'
import type { Row } from './row.ts'
import {
  expectOwnSessions,
  openSession,
  pointSession,
  prepareSession,
  type SessionSettings,
  scriptSession,
  searchSession,
  waitMilliseconds,
} from './session.ts'
import type { Statement } from './statement.ts'
import { Transaction } from './transaction.ts'
import { valueParsers } from './values.ts'

/** Where the database is: a URL, or the parts of a connection over a socket. */
export type DatabaseLocation =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string }

export interface DatabaseOptions {
  readonly location: DatabaseLocation
  /** Connections for writes and point reads; half of them at most serve the writes of one organization. */
  readonly connections?: number
  readonly onError?: (error: Error) => void
}

const searchMilliseconds = 8000
/** How often is looked for answers that are overdue. */
const watchMilliseconds = 250

/** The two pools of a process, and the only door to the driver. */
export class Database {
  readonly connections: number
  readonly #location: DatabaseLocation
  readonly #onError: (error: Error) => void
  readonly #points: pg.Pool
  readonly #queries: pg.Pool
  readonly #open = new Set<pg.Connection>()
  readonly #watch = setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()

  constructor({ location, connections = 12, onError = () => {} }: DatabaseOptions) {
    this.connections = connections
    this.#location = location
    this.#onError = onError
    this.#points = this.#createPool(connections, pointSession)
    // The server ends what takes too long. One that does not even do that is given up a little later.
    this.#queries = this.#createPool(Math.max(2, Math.ceil(connections / 3)), searchSession)
  }

  /** One statement on rows that are found by key. */
  async query<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const client = await this.#points.connect()
    try {
      const { rows } = await new Promise<Answer>((resolve, reject) => {
        client.query(new Exchange([{ statement, values, resolve, reject }], waitMilliseconds))
      })
      client.release()
      return rows
    } catch (error) {
      // What the connection is good for after a failure is not known.
      client.release(true)
      throw error
    }
  }

  /** One statement whose best plan depends on its values: a search, a report. It is planned each time. */
  async search<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const query = { text: statement.text, values: [...values], query_timeout: searchMilliseconds + 500 }
    const result = await this.#queries.query<R>(query)
    return result.rows
  }

  /** A transaction, which begins with its first statement. Every path must end in its `commit` or `rollback`. */
  async begin(): Promise<Transaction> {
    return new Transaction(await this.#points.connect())
  }

  /** A script of many statements, on a connection of its own without time limits: for migrations. */
  async script(text: string): Promise<void> {
    const client = await openSession(connectionOf(this.#location), scriptSession)
    client.on('error', this.#onError)
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  /** Throws a reason for the operator when a pooler in between lends connections for single transactions. */
  async expectOwnSessions(): Promise<void> {
    if ('url' in this.#location) await expectOwnSessions(() => openSession(connectionOf(this.#location), scriptSession))
  }

  /** How many connections each pool has. */
  usage(): { pool: string; total: number; idle: number; waiting: number }[] {
    const pools = { points: this.#points, queries: this.#queries }
    return Object.entries(pools).map(([pool, { totalCount, idleCount, waitingCount }]) => ({
      pool,
      total: totalCount,
      idle: idleCount,
      waiting: waitingCount,
    }))
  }

  /** Gives up what runs: the database is gone, and a session of it that is left would be waited for in vain. */
  abandon(): void {
    for (const { stream } of this.#open) stream.destroy(new DatabaseSilent())
  }

  /** Lets statements end, for five seconds; a database that says nothing does not keep the process. */
  async close(): Promise<void> {
    const late = () => {
      for (const { stream } of this.#open) stream.destroy()
    }
    setTimeout(late, waitMilliseconds).unref()
    await Promise.all([this.#points.end(), this.#queries.end()])
    clearInterval(this.#watch)
  }

  #giveUpOverdue(): void {
    const now = performance.now()
    for (const connection of this.#open) if (isOverdue(connection, now)) connection.stream.destroy(new DatabaseSilent())
  }

  #createPool(max: number, settings: SessionSettings): pg.Pool {
    const pool = new pg.Pool({
      ...connectionOf(this.#location),
      max,
      application_name: 'crm-server',
      pipeline: true,
      connectionTimeoutMillis: waitMilliseconds,
      keepAlive: true,
      types: valueParsers,
      // A connection for which it fails is lent to nobody.
      verify: callbackify((client: pg.PoolClient) => prepareSession(client, settings)),
    })
    pool.on('error', this.#onError)
    pool.on('connect', client => {
      const { connection } = client
      this.#open.add(connection)
      connection.stream.once('close', () => this.#open.delete(connection))
      // The pool hears idle connections only. A lost one in use fails its statements; unheard, it would end the process.
      client.on('error', () => {})
    })
    return pool
  }
}

function connectionOf(location: DatabaseLocation): pg.ClientConfig {
  return 'url' in location ? { connectionString: location.url } : location
}
