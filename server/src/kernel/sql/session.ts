import pg from 'pg'
import { bounds } from '../limits/bounds.ts'
import { askIdentity, noteIdentity, type WhenOther } from './database-identity.ts'
import { failureOf, SessionNotKept } from './failure.ts'
import { type Statement, statement } from './statement.ts'

/** A time as PostgreSQL shows it: a whole number in the largest possible unit. */
function timeOf(milliseconds: number): string {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 }
  const [unit, length] = Object.entries(units).find(([, each]) => milliseconds % each === 0) ?? ['ms', 1]
  return `${milliseconds / length}${unit}`
}

/** Settings of PostgreSQL by name, with values as PostgreSQL shows them. */
export type SessionSettings = Readonly<Record<string, string>>

/** The timeout of a connection, a lock, or a look-up by key. */
export const waitMilliseconds = bounds.pointAnswer.most

/** The settings that every connection needs, whatever database, role or URL specify. */
const everySession: SessionSettings = {
  // Times are stored and read without conversion. In another zone answers would be hours off, and writes would store the error.
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  client_encoding: 'UTF8',
  // Locks and loads are separate statements, because at this isolation level each sees what was committed before it.
  default_transaction_isolation: 'read committed',
  jit: 'off',
}

const waitingSession: SessionSettings = {
  lock_timeout: timeOf(waitMilliseconds),
  // A process that hangs in the middle of a write must not keep its locks.
  idle_in_transaction_session_timeout: '10s',
}

// Point reads, plain lists and writes use prepared plans. A plan made while a table is empty would be a sequential scan, and stay one until
// there are statistics. So these connections may not choose sequential scans.
export const pointSession: SessionSettings = {
  statement_timeout: '30s',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  ...everySession,
  ...waitingSession,
}

/** Settings that roles need on each node of a cluster: the settings of a connection do not reach the nodes behind it. */
export const nodeSettings: SessionSettings = {
  lock_timeout: timeOf(waitMilliseconds),
  enable_seqscan: 'off',
}

/** In a cluster the values of a statement determine its node, so no generic plan is used. */
export const clusterSettings: SessionSettings = { plan_cache_mode: 'auto' }

// Tables contain the records of all organizations: a sequential scan is never the way to those of one. Without parallel workers, because a
// search for a frequent word would take all cores.
export const searchSession: SessionSettings = {
  statement_timeout: timeOf(bounds.searchAnswer.most),
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  ...everySession,
  ...waitingSession,
}

// A report may read all records of an organization. It finds them by indexes, unless nearly all rows of a table belong to that
// organization: a sequential scan then costs half as much. The cost of a row is three times the default, so that the scan is not chosen if
// it would read many rows of others. A report runs on one core, and groups within this much memory before it uses the disk. It must not
// sort all records, neither for merge joins nor for groups, whose number PostgreSQL overestimates.
export const reportSession: SessionSettings = {
  statement_timeout: timeOf(bounds.reportAnswer.most),
  cpu_tuple_cost: '0.03',
  enable_mergejoin: 'off',
  enable_sort: 'off',
  max_parallel_workers_per_gather: '0',
  work_mem: '16MB',
  ...everySession,
  ...waitingSession,
}

// The library of the job queue finds its rows by its own indexes.
export const queueSession: SessionSettings = {
  statement_timeout: '30s',
  ...everySession,
  ...waitingSession,
}

// An export reads all records of an organization in the order of an index, so that it neither sorts them nor reads those of others, and
// sends rows from the start.
export function exportSession(): SessionSettings {
  return {
    statement_timeout: timeOf(bounds.exportTime.most),
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_sort: 'off',
    max_parallel_workers_per_gather: '0',
    ...everySession,
    lock_timeout: waitingSession.lock_timeout ?? '',
  }
}

/** For scripts, which may take any time. */
export const scriptSession: SessionSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  ...everySession,
}

const set = statement(
  'set_session',
  'select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
)
const check = statement(
  'check_session',
  `select s.name, s.value as wanted, current_setting(s.name) as found
     from unnest($1::text[], $2::text[]) as s(name, value)
    where current_setting(s.name) is distinct from s.value`,
)

/**
 * Prepares a new connection: applies its settings and those that `settle` adds, and records which database it leads to before anything else
 * runs on it. This takes one round trip, and a second one if the database is not the recorded one.
 */
export async function prepareSession(
  client: pg.ClientBase,
  settings: SessionSettings,
  whenOther: WhenOther,
  settle: () => Promise<void> = async () => {},
): Promise<void> {
  const [, told] = await Promise.all([makeSettings(client, settings), askIdentity(client, waitMilliseconds)])
  await settle()
  await noteIdentity(client, told, whenOther, waitMilliseconds)
}

/**
 * Applies the settings and checks that they hold, because a URL, a role or a pooler may override them when a connection starts. Throws
 * `SessionNotKept` with the setting that does not hold.
 */
export async function makeSettings(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const values = [Object.keys(settings), Object.values(settings)]
  const ask = ({ text }: Statement) => {
    const query = { text, values, query_timeout: waitMilliseconds }
    return client.query<{ name: string; wanted: string; found: string }>(query)
  }
  try {
    const [, { rows }] = await Promise.all([ask(set), ask(check)])
    const [lost] = rows
    if (lost !== undefined) throw new SessionNotKept(`${lost.name} is ${lost.found} instead of ${lost.wanted}`)
  } catch (error) {
    if (failureOf(error) === 'unavailable') throw error
    throw new SessionNotKept(error instanceof Error ? error.message : String(error), error)
  }
}

/** After this idle time the system probes whether the other end is alive; if not, the connection is lost a little later. */
const idleMilliseconds = 60_000

/** Opens a connection with these settings outside the pools. The caller ends it. */
export async function openSession(
  config: pg.ClientConfig,
  settings: SessionSettings,
  whenOther: WhenOther,
): Promise<pg.Client> {
  const client = new pg.Client({
    pipeline: true,
    connectionTimeoutMillis: waitMilliseconds,
    // Statements on it may have no time limit: without keepalive they would wait for ever for a machine that is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: idleMilliseconds,
    ...config,
  })
  // When the connection is lost, its statements fail; without a listener, the `error` event would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await prepareSession(client, settings, whenOther)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

const selectProcess = statement('select_process', 'select pg_backend_pid() as process')

/**
 * Throws `SessionNotKept` if a pooler assigns a server connection to another client between two transactions, because settings and prepared
 * statements would then be lost. The test opens two connections. The second one keeps a transaction open, so if the first one gave up its
 * server connection, it must now get another one.
 */
export async function expectOwnSessions(open: () => Promise<pg.Client>): Promise<void> {
  const clients: pg.Client[] = []
  const openNext = async () => {
    const client = await open()
    clients.push(client)
    return client
  }
  try {
    const one = await openNext()
    const other = await openNext()
    const first = await processOf(one)
    await other.query('begin')
    const shared = (await processOf(other)) === first
    if (shared || (await processOf(one)) !== first) throw new SessionNotKept('transactions share connections')
    await other.query('rollback')
  } finally {
    await Promise.all(clients.map(client => client.end()))
  }
}

async function processOf(client: pg.Client): Promise<unknown> {
  const query = { text: selectProcess.text, query_timeout: waitMilliseconds }
  const { rows } = await client.query<{ process: number }>(query)
  return rows[0]?.process
}
