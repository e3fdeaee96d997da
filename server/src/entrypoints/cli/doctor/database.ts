import { readdir } from 'node:fs/promises'
import { type JobState, readQueueState } from '../../../kernel/jobs/index.ts'
import type { Retention } from '../../../kernel/limits/index.ts'
import { packageFolder } from '../../../kernel/product/index.ts'
import {
  adviceOnClock,
  clockDifference,
  type Database,
  expectSuitableServer,
  SessionNotKept,
  statement,
} from '../../../kernel/sql/index.ts'
import { type Check, check } from './check.ts'
import { examineCluster } from './cluster.ts'
import { examineFeed } from './feed.ts'
import { examineWebhooks } from './webhooks.ts'

const selectExtensions = statement(
  'doctor_extensions',
  `select wanted.name
     from unnest($1::text[]) as wanted(name)
     left join pg_available_extensions e on e.name = wanted.name
    where e.name is null`,
)

/** Migrations create tables. The first migration also creates extensions and the schema of the queue, unless they exist. */
const selectMissingPrivileges = statement(
  'doctor_missing_privileges',
  `select format('grant create on schema %I to %I', s.name, current_user) as needed
     from current_schema() as s(name)
    where not has_schema_privilege(s.name, 'create')
   union all
   select format('grant create on database %I to %I', d.name, current_user)
     from current_database() as d(name)
    where not has_database_privilege(d.name, 'create') and (
            to_regnamespace('graphile_worker') is null
            or exists (select from unnest($1::text[]) as wanted(name)
                        where not exists (select from pg_extension e where e.extname = wanted.name))
          )`,
)

/** Serving only reads and writes rows. Later versions add tables, so an operator whose user lacks one right is advised to grant all. */
const selectMissingRights = statement(
  'doctor_missing_rights',
  `select format('grant usage on schema %1$I to %2$I; grant select, insert, update, delete, truncate on all tables in schema %1$I to %2$I',
            n.nspname, current_user) as needed
     from pg_namespace n
    where n.oid in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))
      and exists (select from pg_class c
                   cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as wanted(privilege)
                   where c.relnamespace = n.oid and c.relkind in ('r', 'p') and not c.relispartition
                     and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, wanted.privilege)))
    order by n.nspname`,
)

const selectReadOnly = statement(
  'doctor_read_only',
  `select current_setting('default_transaction_read_only') = 'on' as "isReadOnly", current_database() as name`,
)

const selectMigrationTable = statement(
  'doctor_migration_table',
  `select to_regclass('schema_migrations') is not null as known`,
)

const selectWorkerTable = statement('doctor_worker_table', `select to_regclass('job_workers') is not null as known`)

const selectMigrations = statement('doctor_migrations', 'select m.name from schema_migrations m')

const extensions = ['pg_trgm', 'btree_gin']
const mostDifference = 1000
const migrations = new URL('migrations/', packageFolder)

/** Checks the database with reads only. If it cannot be reached, stops after the first check. */
export async function examineDatabase(database: Database, retention: Retention): Promise<Check[]> {
  const session = () => check('session', () => examineSession(database))
  if (await losesSettings(database)) return [await session()]
  const server = await check('postgresql', () => examineServer(database))
  if (!server.ok) return [server]
  return [
    server,
    await session(),
    await check('extensions', () => examineExtensions(database)),
    await check('privileges', () => examinePrivileges(database)),
    await check('migrations', () => examineMigrations(database)),
    ...(await examineCluster(database)),
    await check('change feed', () => examineFeed(database)),
    await check('jobs', () => examineJobs(database)),
    await check('webhooks', () => examineWebhooks(database, retention)),
    await check('clock', () => examineClock(database)),
  ]
}

/** Whether the database can be reached, but only through connections that do not keep their settings. */
function losesSettings(database: Database): Promise<boolean> {
  const isLost = (error: unknown) => error instanceof SessionNotKept
  return clockDifference(database).then(() => false, isLost)
}

async function examineSession(database: Database): Promise<string> {
  await database.expectOwnSessions()
  return 'each connection keeps its settings'
}

async function examineServer(database: Database): Promise<string> {
  return `version ${await expectSuitableServer(database)}`
}

async function examineExtensions(database: Database): Promise<string> {
  const missing = (await database.search(selectExtensions, [extensions])).map(row => row.name)
  if (missing.length > 0) throw new Error(`not installed on the database server: ${missing.join(', ')}`)
  return extensions.join(', ')
}

async function examinePrivileges(database: Database): Promise<string> {
  const [{ isReadOnly, name } = {}] = await database.search(selectReadOnly, [])
  if (isReadOnly === true)
    throw new Error(
      `${String(name)} is read-only for this user: reset default_transaction_read_only of database and role`,
    )
  const rights = (await database.search(selectMissingRights, [])).map(row => String(row.needed))
  if (rights.length > 0) throw new Error(`run as the owner of the tables: ${rights.join('; ')}`)
  const grants = (await database.search(selectMissingPrivileges, [extensions])).map(row => String(row.needed))
  if (grants.length === 0) return 'the user may create tables and extensions'
  if ((await readMigrations(database)).pending.length === 0)
    return 'all that is needed is there; the user may not create more, so somebody else has to migrate'
  throw new Error(`run as the owner of the database: ${grants.join('; ')}`)
}

async function readMigrations(database: Database) {
  const known = (await readdir(migrations)).filter(name => name.endsWith('.sql')).sort()
  const [table] = await database.search(selectMigrationTable, [])
  const rows = table?.known === true ? await database.search(selectMigrations, []) : []
  const applied = new Set(rows.map(row => String(row.name)))
  return { known, applied, pending: known.filter(name => !applied.has(name)) }
}

async function examineMigrations(database: Database): Promise<string> {
  const { known, applied, pending } = await readMigrations(database)
  const foreign = [...applied].filter(name => !known.includes(name)).sort()
  if (foreign.length > 0) throw new Error(`the database is newer than this version: it has ${foreign.join(', ')}`)
  // Not a failure: `serve` and every other command apply them.
  return pending.length === 0
    ? `all applied, up to ${known.at(-1)}`
    : `${pending.length} pending, applied by migrate or the next start`
}

async function examineClock(database: Database): Promise<string> {
  const difference = await clockDifference(database)
  if (difference >= mostDifference) throw new Error(adviceOnClock(difference))
  return `differs from that of the database by ${difference} ms`
}

/** How long a job may wait. After that, no process works on jobs, or the time of one is wrong. */
const longestWaitSeconds = 600

async function examineJobs(database: Database): Promise<string> {
  const [table] = await database.search(selectWorkerTable, [])
  if (table?.known !== true) return 'no queue yet: the first start makes it'
  const { counts, oldestSeconds, workers } = await readQueueState(database)
  const numberOf = (state: JobState) => {
    const counted = counts.filter(each => each.state === state)
    return `${counted.reduce((sum, { count }) => sum + count, 0)} ${state}`
  }
  const queue = `${numberOf('waiting')}, the oldest for ${Math.round(oldestSeconds)} s, ${numberOf('running')}, ${numberOf('failed')}`
  const [latest] = workers
  const beat = latest && `last heartbeat of a worker ${Math.round(latest.secondsSinceBeat)} s ago (${latest.version})`
  const state = `${queue}; ${beat ?? 'no worker is known'}`
  if (oldestSeconds > longestWaitSeconds) throw new Error(`${state}: see that a server works on jobs`)
  return state
}
