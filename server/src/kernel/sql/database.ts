import { availableParallelism } from 'node:os'
import { callbackify } from 'node:util'
import pg from 'pg'
import { FairSemaphore } from '../admission/index.ts'
import { bounds } from '../limits/bounds.ts'
import { ask, askCancellably } from './ask.ts'
import { valueParsers } from './column-values.ts'
import { askIdentity, type ToldIdentity, type WhenOther } from './database-identity.ts'
import { type Distribution, readDistribution } from './distribution.ts'
import { DatabaseSilent, SessionNotKept } from './failure.ts'
import { giveUp, rememberClient } from './give-up.ts'
import { LongTransaction } from './long-transaction.ts'
import { hasTimedOut, type TakeRow } from './pipelined-batch.ts'
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
  /** The number of connections for writes and point reads. One organization can use half of them at most, and fewer while others come. */
  readonly connections?: number
  readonly onError?: (error: Error) => void
  /** What is done where the database is another one than the installation remembers. */
  readonly whenOther?: WhenOther
}

const snapshot = statement('begin_snapshot', 'begin isolation level repeatable read read only')

/** How the kinds of long transactions begin, and the settings of their connections. */
const longKinds = {
  snapshot: { begin: snapshot, settings: () => scriptSession },
  export: { begin: snapshot, settings: exportSession },
  write: { begin: statement('begin_long', 'begin'), settings: () => scriptSession },
}

/** The interval in which overdue answers are looked for. */
const watchMilliseconds = 250

/**
 * The three pools of connections of a process, and the only access to the driver. Statements for an organization pass the
 * semaphore of their pool. Statements for the server itself do not; the semaphores leave a few connections free for
 * them.
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
  /** Connections of long transactions, which are outside of the pools. */
  readonly #long = new Set<pg.Connection>()
  #queue: pg.Pool | null = null
  /** Asked by the first connection, before it is lent. */
  #distribution: Promise<Distribution | null> | undefined
  #givenUp = 0
  readonly #watch = setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()

  constructor({ location, connections = 12, onError = () => {}, whenOther = 'raise' }: DatabaseOptions) {
    this.#location = location
    this.#onError = onError
    this.#whenOther = whenOther
    this.#points = this.#createPool(connections, pointSession)
    // PostgreSQL ends a statement that takes too long. If it does not even do that, the connection is given up a little
    // later.
    const queryConnections = Math.max(2, Math.ceil(connections / 3))
    this.#queries = this.#createPool(queryConnections, searchSession)
    const waits = { name: 'place' as const, waiting: bounds.organizationRequests.most, milliseconds: bounds.place.most }
    const half = Math.max(1, Math.floor(connections / 2))
    this.#pointPlaces = new FairSemaphore({
      ...waits,
      places: connections - Math.min(2, Math.floor(connections / 4)),
      // One organization must not keep all others waiting, nor, while others come, all processors busy.
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

  /** Runs one statement on rows that are found by key. If `take` is given, it gets each row, and none is returned. */
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
   * Runs one statement whose best plan depends on its values, such as a search. It is planned each time, and cancelled
   * when the client is gone.
   */
  search<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    reader: Reader | null = null,
    take?: TakeRow,
  ): Promise<R[]> {
    const where = { pool: this.#queries, places: this.#queryPlaces, milliseconds: bounds.searchAnswer.most }
    return askCancellably<R>(where, { statement, values, take }, reader)
  }

  /**
   * Runs one statement that may read all records of an organization. It is planned and cancelled like a search, but has
   * connections and places of its own, so that no search waits for a report.
   */
  report<R extends Row = Row>(statement: Statement, values: readonly unknown[], reader: Reader): Promise<R[]> {
    const where = { pool: this.#reports, places: this.#reportPlaces, milliseconds: bounds.reportAnswer.most }
    return askCancellably<R>(where, { statement, values, take: undefined }, reader)
  }

  /**
   * Begins a transaction with its first statement. Every path must end in its `commit` or `rollback`. `until` is the
   * time on the clock of `performance.now()` at which waiting for a place ends.
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

  /** Several scripts, one after another, on one connection of that kind: what one of them locks, it locks for all. */
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
   * Runs the work in one transaction on a connection of its own: `snapshot` reads everything as it is now, `export` does so for rows
   * in the order of an index and within `bounds.exportTime`, `write` commits all of it or nothing. The others have no time limit. It
   * ends when the database is closed.
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
      // Without a commit the end of the connection rolls back.
      await client.end()
    }
  }

  /** The connections of the job queue, which its library uses by itself. They are opened when they are needed. */
  queuePool(): pg.Pool {
    this.#queue ??= this.#createPool(bounds.queueConnections.most, queueSession, pg.types)
    return this.#queue
  }

  /** How the tables are distributed over a cluster; null if they are not. It is asked once. */
  async distribution(): Promise<Distribution | null> {
    const client = await this.#queries.connect()
    client.release()
    return (await this.#distribution) ?? null
  }

  /** Makes the first connection, or throws why there is none. One that does not keep its settings is left to the first statement. */
  async reach(): Promise<void> {
    try {
      const client = await this.#queries.connect()
      client.release()
    } catch (error) {
      if (!(error instanceof SessionNotKept)) throw error
    }
  }

  /** Where the driver looks for the database: what it takes from the URL, and from the environment where that is silent. */
  get address(): DatabaseAddress | null {
    try {
      const { host, port, database = '', user = '' } = new pg.Client(connectionOf(this.#location))
      return { host, port, database, user }
    } catch {
      return null
    }
  }

  /** Throws an error for the operator if a pooler in between lends connections for single transactions. */
  async expectOwnSessions(): Promise<void> {
    if ('url' in this.#location) await expectOwnSessions(() => this.#openSession(scriptSession))
  }

  /** What the database is known by now, and what the installation remembers. */
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

  /**
   * Gives up all running statements. The database is gone, so waiting for what is left of its sessions would be in
   * vain.
   */
  abandon(): void {
    for (const { stream } of [...this.#open, ...this.#long]) stream.destroy(new DatabaseSilent())
  }

  /**
   * Lets running statements end for five seconds. After that, a database that does not answer no longer keeps the
   * process. Long transactions end at once.
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

  /** How many connections were closed because an answer did not come in time. */
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

  /** Makes the settings that a cluster needs. They come before any statement, because those of a single server fail on a cluster. */
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
      // The next connection asks again.
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
      // A connection for which this fails is not lent.
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
      // The pool listens only to idle connections. When a used connection is lost, its statements fail; its `error`
      // event without a listener would end the process.
      client.on('error', () => {})
    })
    return pool
  }
}

function connectionOf(location: DatabaseLocation): pg.ClientConfig {
  return 'url' in location ? { connectionString: location.url } : location
}
