import pg from 'pg'
import type { Row } from './row.ts'
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

const waitMilliseconds = 5000
const silenceMilliseconds = 40_000

// Point reads and writes run prepared plans. One made while a table was empty would stay a sequential scan until
// statistics come, so these connections may not choose one; lists and searches plan freely.
const pointSettings = ['enable_seqscan=off', 'plan_cache_mode=force_generic_plan']

/** The two pools of a process, and the only door to the driver. */
export class Database {
  readonly connections: number
  readonly #location: DatabaseLocation
  readonly #onError: (error: Error) => void
  readonly #points: pg.Pool
  readonly #queries: pg.Pool

  constructor({ location, connections = 12, onError = () => {} }: DatabaseOptions) {
    this.connections = connections
    this.#location = location
    this.#onError = onError
    this.#points = createPool(location, connections, pointSettings, onError)
    this.#queries = createPool(location, Math.max(2, Math.ceil(connections / 3)), [], onError)
  }

  /** One statement on rows that are found by key. */
  async query<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const result = await this.#points.query<R>({ name: statement.name, text: statement.text, values: [...values] })
    return result.rows
  }

  /** One statement whose best plan depends on its values: a search, a report. It is planned each time. */
  async search<R extends Row = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const result = await this.#queries.query<R>({ text: statement.text, values: [...values] })
    return result.rows
  }

  /** A transaction that has begun. Every path must end in its `commit` or `rollback`. */
  async begin(): Promise<Transaction> {
    return new Transaction(await this.#points.connect())
  }

  /** A script of many statements, on a connection of its own without time limits: for migrations. */
  async script(text: string): Promise<void> {
    const client = new pg.Client({ ...connectionOf(this.#location), connectionTimeoutMillis: waitMilliseconds })
    client.on('error', this.#onError)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
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

  async close(): Promise<void> {
    await Promise.all([this.#points.end(), this.#queries.end()])
  }
}

function createPool(
  location: DatabaseLocation,
  max: number,
  settings: readonly string[],
  onError: (error: Error) => void,
) {
  const session = [
    'timezone=UTC',
    'datestyle=ISO',
    'jit=off',
    `lock_timeout=${waitMilliseconds}`,
    'statement_timeout=30000',
    ...settings,
  ]
  const pool = new pg.Pool({
    ...connectionOf(location),
    max,
    application_name: 'crm-server',
    pipeline: true,
    connectionTimeoutMillis: waitMilliseconds,
    // A database that says nothing any more must not keep requests and connections for ever.
    query_timeout: silenceMilliseconds,
    keepAlive: true,
    types: valueParsers,
    options: session.map(setting => `-c ${setting}`).join(' '),
  })
  pool.on('error', onError)
  return pool
}

function connectionOf(location: DatabaseLocation): pg.ClientConfig {
  return 'url' in location ? { connectionString: location.url } : location
}
