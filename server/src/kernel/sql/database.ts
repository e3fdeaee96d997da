import { availableParallelism } from 'node:os'
import { callbackify } from 'node:util'
import pg from 'pg'
import { FairSemaphore } from '../admission/index.ts'
import { bounds } from '../limits/bounds.ts'
import { askCancellably, type TimeBudget } from './ask-cancellably.ts'
import { askIdentity, type ToldIdentity, type WhenOther } from './database-identity.ts'
import { type Distribution, readDistribution } from './distribution.ts'
import { DatabaseSilent, SessionNotKept } from './failure.ts'
import { giveUp, rememberClient } from './give-up.ts'
import { LongTransaction } from './long-transaction.ts'
import { ask, hasTimedOut, type TakeRow, valueParsers } from './pipelined-batch.ts'
import type { Reader } from './reader.ts'
import type { Row } from './row.ts'
import {
  clusterSettings,
  expectOwnSessions,
  exportSession,
  makeSettings,
  openSession,
  pointSession,
  prepareSession,
  queueSession,
  reportSession,
  type SessionSettings,
  scriptSession,
  searchSession,
  waitMilliseconds,
} from './session.ts'
import { type Statement, statement } from './statement.ts'
import { Transaction } from './transaction.ts'

/** The location of the database: a URL, or the parts of a connection over a socket. */
export type DatabaseLocation =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string }

export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

export interface DatabaseOptions {
  readonly location: DatabaseLocation
  /**
   * The number of connections for writes and point reads. One organization can use at most half of them, and fewer while others compete.
   */
  readonly connections?: number
  readonly onError?: (error: Error) => void
  /** What to do if the database is not the one that the installation recorded. */
  readonly whenOther?: WhenOther
}

const snapshot = statement('begin_snapshot', 'begin isolation level repeatable read read only')

/** How each kind of long transaction begins, and the settings of its connection. */
const longKinds = {
  snapshot: { begin: snapshot, settings: () => scriptSession },
  export: { begin: snapshot, settings: exportSession },
  write: { begin: statement('begin_long', 'begin'), settings: () => scriptSession },
}

/** The interval in which the timeouts of answers are checked. */
const watchMilliseconds = 250

/**
 * The three connection pools of a process, and the only access to the driver. Statements for an organization pass the semaphore of their
 * pool. Statements for the server itself do not; the semaphores leave a few connections free for them.
 */
export class Database {
  readonly #location: DatabaseLocation
  readonly #onError: (error: Error) => void
  readonly #whenOther: WhenOther
  readonly #points: pg.Pool
  readonly #queries: pg.Pool
  readonly #pointPlaces: FairSemaphore
  readonly #queryPlaces: FairSemaphore
  readonly #reports: pg.Pool
  readonly #reportPlaces: FairSemaphore
  readonly #open = new Set<pg.Connection>()
  /** Connections of long transactions, which are outside the pools. */
  readonly #long = new Set<pg.Connection>()
  #queue: pg.Pool | null = null
  /** Read by the first connection, before any statement uses it. */
  #distribution: Promise<Distribution | null> | undefined
  #givenUp = 0
  readonly #watch = setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()

  constructor({ location, connections = 12, onError = () => {}, whenOther = 'raise' }: DatabaseOptions) {
    this.#location = location
    this.#onError = onError
    this.#whenOther = whenOther
    this.#points = this.#createPool(connections, pointSession)
    // PostgreSQL cancels a statement that takes too long. If it does not, the connection is closed a little later.
    const queryConnections = Math.max(2, Math.ceil(connections / 3))
    this.#queries = this.#createPool(queryConnections, searchSession)
    const waits = { name: 'place' as const, waiting: bounds.organizationRequests.most, milliseconds: bounds.place.most }
    const half = Math.max(1, Math.floor(connections / 2))
    this.#pointPlaces = new FairSemaphore({
      ...waits,
      places: connections - Math.min(2, Math.floor(connections / 4)),
      // One organization must not make all others wait, nor keep all processors busy while others compete.
      perKey: half,
      perKeyBesideOthers: Math.min(half, Math.max(2, Math.floor(availableParallelism() / 2))),
    })
    this.#queryPlaces = new FairSemaphore({
      ...waits,
      places: queryConnections,
      perKey: bounds.organizationSearches.most,
    })
    this.#reports = this.#createPool(bounds.processReports.most, reportSession)
    this.#reportPlaces = new FairSemaphore({
      name: 'reportPlace',
      places: bounds.processReports.most,
      perKey: bounds.organizationReports.most,
      waiting: bounds.organizationRequests.most,
      milliseconds: bounds.reportPlace.most,
    })
  }

  /** Runs one statement on rows that are found by key. If `take` is given, it receives each row, and none is returned. */
  async query<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    reader: Reader | null = null,
    take?: TakeRow,
  ): Promise<R[]> {
    const leave = reader && (await this.#pointPlaces.enter(reader.organizationId, reader.whenGone))
    try {
      return await ask<R>(await this.#points.connect(), { statement, values, take }, waitMilliseconds, reader)
    } finally {
      leave?.()
    }
  }

  /**
   * Runs one statement whose best plan depends on its values, such as a search. It is planned each time, and cancelled when the client
   * leaves, or when the time is over that it shares with others.
   */
  search<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    reader: Reader | null = null,
    take?: TakeRow,
    budget?: TimeBudget,
  ): Promise<R[]> {
    const where = { pool: this.#queries, places: this.#queryPlaces, milliseconds: bounds.searchAnswer.most, budget }
    return askCancellably<R>(where, { statement, values, take }, reader)
  }

  /**
   * Runs one statement that may read all records of an organization. It is planned and cancelled like a search, but has its own connections
   * and slots, so that no search waits for a report.
   */
  report<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    reader: Reader,
    take?: TakeRow,
  ): Promise<R[]> {
    const where = { pool: this.#reports, places: this.#reportPlaces, milliseconds: bounds.reportAnswer.most }
    return askCancellably<R>(where, { statement, values, take }, reader)
  }

  /**
   * Begins a transaction with its first statement. Every path must end in `commit` or `rollback`. `until` is the deadline for getting a
   * slot, on the clock of `performance.now()`.
   */
  async begin(reader: Reader | null = null, until?: number): Promise<Transaction> {
    const leave = reader && (await this.#pointPlaces.enter(reader.organizationId, reader.whenGone, until))
    try {
      const client = await this.#points.connect()
      return new Transaction(client, (await this.#distribution) ?? null, leave ?? undefined)
    } catch (error) {
      leave?.()
      throw error
    }
  }

  /** Runs a script of many statements on a connection of its own without time limits. Migrations use it. */
  async script(text: string): Promise<void> {
    await this.session(run => run(text))
  }

  /** Runs several scripts on one connection of that kind; a lock that one takes protects all of them. */
  async session<Result>(use: (run: (text: string) => Promise<Row[]>) => Promise<Result>): Promise<Result> {
    const client = await this.#openSession(scriptSession)
    client.on('error', this.#onError)
    try {
      return await use(async text => (await client.query<Row>(text)).rows)
    } finally {
      await client.end()
    }
  }

  /**
   * Runs the work in one transaction on a connection of its own. `snapshot` reads everything as it is now; `export` does so for rows in the
   * order of an index and within `bounds.exportTime`; `write` commits all or nothing. The others have no time limit. The transaction ends
   * when the database is closed.
   */
  async long<Result>(
    kind: keyof typeof longKinds,
    work: (transaction: LongTransaction) => Promise<Result>,
  ): Promise<Result> {
    const { begin, settings } = longKinds[kind]
    const client = await this.#openSession(settings())
    const { connection } = client
    rememberClient(client)
    this.#long.add(connection)
    try {
      const transaction = new LongTransaction(client)
      await transaction.query(begin, [])
      const result = await work(transaction)
      await transaction.commit()
      return result
    } finally {
      this.#long.delete(connection)
      // Without a commit, closing the connection rolls back.
      await client.end()
    }
  }

  /** The connections that the library of the job queue uses. They are opened when needed. */
  queuePool(): pg.Pool {
    this.#queue ??= this.#createPool(bounds.queueConnections.most, queueSession, pg.types)
    return this.#queue
  }

  /** How the tables are distributed over a cluster; null if they are not. It is read once. */
  async distribution(): Promise<Distribution | null> {
    const client = await this.#queries.connect()
    client.release()
    return (await this.#distribution) ?? null
  }

  /**
   * Opens the first connection, or throws the reason why that fails. A connection that does not keep its settings fails at its first
   * statement instead.
   */
  async reach(): Promise<void> {
    try {
      const client = await this.#queries.connect()
      client.release()
    } catch (error) {
      if (!(error instanceof SessionNotKept)) throw error
    }
  }

  /** The address that the driver connects to: from the URL, and from the environment for missing parts. */
  get address(): DatabaseAddress | null {
    try {
      const { host, port, database = '', user = '' } = new pg.Client(connectionOf(this.#location))
      return { host, port, database, user }
    } catch {
      return null
    }
  }

  /** Throws an error for the operator if a pooler in between assigns connections per transaction. */
  async expectOwnSessions(): Promise<void> {
    if ('url' in this.#location) await expectOwnSessions(() => this.#openSession(scriptSession))
  }

  /** The present identity of the database, and the one that the installation recorded. */
  async identity(): Promise<ToldIdentity> {
    const client = await this.#openSession(scriptSession)
    try {
      return await askIdentity(client, waitMilliseconds)
    } finally {
      await client.end()
    }
  }

  /** The number of connections of each pool, and of statements that wait for one. */
  usage(): { pool: string; total: number; idle: number; waiting: number }[] {
    const pools = [
      { pool: 'points', connections: this.#points, places: this.#pointPlaces.usage() },
      { pool: 'queries', connections: this.#queries, places: this.#queryPlaces.usage() },
      { pool: 'reports', connections: this.#reports, places: this.#reportPlaces.usage() },
      ...(this.#queue === null ? [] : [{ pool: 'queue', connections: this.#queue, places: { waiting: 0 } }]),
    ]
    return pools.map(({ pool, connections: { totalCount, idleCount, waitingCount }, places }) => ({
      pool,
      total: totalCount,
      idle: idleCount,
      waiting: waitingCount + places.waiting,
    }))
  }

  /** Abandons all running statements. The database is gone, so waiting for its sessions would be pointless. */
  abandon(): void {
    for (const { stream } of [...this.#open, ...this.#long]) stream.destroy(new DatabaseSilent())
  }

  /**
   * Waits at most five seconds for running statements. After that, a database that does not answer no longer keeps the process running.
   * Long transactions end at once.
   */
  async close(): Promise<void> {
    for (const connection of this.#long) giveUp(connection, new Error('the database was closed'))
    const late = () => {
      for (const { stream } of this.#open) stream.destroy()
    }
    setTimeout(late, waitMilliseconds).unref()
    await Promise.all([this.#points.end(), this.#queries.end(), this.#reports.end(), this.#queue?.end()])
    clearInterval(this.#watch)
  }

  /** How many connections were closed after a timeout. */
  get givenUp(): number {
    return this.#givenUp
  }

  #giveUpOverdue(): void {
    const now = performance.now()
    for (const connection of [...this.#open].filter(each => hasTimedOut(each, now))) {
      this.#givenUp += 1
      giveUp(connection, new DatabaseSilent())
    }
  }

  #openSession(settings: SessionSettings): Promise<pg.Client> {
    return openSession(connectionOf(this.#location), settings, this.#whenOther)
  }

  /** Applies the settings that a cluster needs. They come before any statement, because those of a single server fail on a cluster. */
  async #settle(client: pg.PoolClient): Promise<void> {
    const query = async ({ text }: Statement, values: readonly unknown[]) => {
      const asked = { text, values: [...values], query_timeout: waitMilliseconds }
      const { rows } = await client.query<Row>(asked)
      return rows
    }
    this.#distribution ??= readDistribution({ query })
    try {
      if ((await this.#distribution) !== null) await makeSettings(client, clusterSettings)
    } catch (error) {
      // The next connection reads it again.
      this.#distribution = undefined
      throw error
    }
  }

  #createPool(max: number, settings: SessionSettings, types = valueParsers): pg.Pool {
    const pool = new pg.Pool({
      ...connectionOf(this.#location),
      max,
      application_name: 'crm-server',
      pipeline: true,
      connectionTimeoutMillis: waitMilliseconds,
      keepAlive: true,
      types,
      // If this fails, the pool does not use the connection.
      verify: callbackify((client: pg.PoolClient) =>
        prepareSession(client, settings, this.#whenOther, () => this.#settle(client)),
      ),
    })
    pool.on('error', this.#onError)
    pool.on('connect', client => {
      const { connection } = client
      rememberClient(client)
      this.#open.add(connection)
      connection.stream.once('close', () => this.#open.delete(connection))
      // The pool listens only to idle connections. When a connection in use is lost, its statements fail; without a listener, its `error`
      // event would end the process.
      client.on('error', () => {})
    })
    return pool
  }
}

function connectionOf(location: DatabaseLocation): pg.ClientConfig {
  return 'url' in location ? { connectionString: location.url } : location
}
