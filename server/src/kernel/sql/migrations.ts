import { readdir, readFile } from 'node:fs/promises'
import { packageFolder } from '../product/index.ts'
import type { Database } from './database.ts'
import { applyInSteps, hasSteps } from './migration-steps.ts'
import { migrateQueue } from './queue-schema.ts'
import { runMigration } from './run-migration.ts'
import { inTransaction, type Run } from './script.ts'
import { expectSuitableServer } from './server-requirements.ts'
import { type Statement, statement } from './statement.ts'
import { shortWait, whenFree } from './when-free.ts'

const folder = new URL('migrations/', packageFolder)

const createTable = `
  create table if not exists schema_migrations (
    name text primary key,
    applied_at timestamptz not null default now()
  )`

const selectTable = statement('select_migration_table', `select to_regclass('schema_migrations') is not null as known`)
const selectApplied: Statement = statement(
  'select_applied_migrations',
  'select name from schema_migrations order by name',
)
/**
 * Applies the missing migrations in order, each in a transaction or in steps, under a lock; returns their names. `last` is the last one to
 * apply.
 */
export async function migrate(database: Database, last?: string): Promise<string[]> {
  await database.expectOwnSessions()
  await expectSuitableServer(database)
  await migrateQueue(database)
  const applied: string[] = []
  for (const name of await pendingMigrations(database)) {
    if (last !== undefined && name > last) break
    const text = await readFile(new URL(name, folder), 'utf8')
    const run = hasSteps(text) ? applyInSteps : apply
    if (await whenFree(() => run(database, name, text))) applied.push(name)
  }
  return applied
}

/** Names of all migrations of this version, in their order. */
export async function knownMigrations(): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
}

/** Names of migrations that the database lacks. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const names = await knownMigrations()
  // A user with rights on rows only can serve a database that another user has migrated.
  const [table] = await database.search(selectTable, [])
  if (table?.known !== true)
    await database.script(`begin; select pg_advisory_xact_lock(7236118190); ${createTable}; commit`)
  const applied = new Set((await database.search(selectApplied, [])).map(row => row.name))
  return names.filter(name => !applied.has(name))
}

/** Applies one migration; false if another process has applied it meanwhile. */
function apply(database: Database, name: string, text: string): Promise<boolean> {
  const work = async (run: Run) => {
    // A second process waits here.
    await run('select pg_advisory_xact_lock(7236118190)')
    if ((await run(`select from schema_migrations where name = '${name}'`)).length > 0) return false
    await run(`set local lock_timeout = '${shortWait}'`)
    await runMigration(run, text)
    await run(`insert into schema_migrations (name) values ('${name}')`)
    return true
  }
  return database.session(run => inTransaction(run, () => work(run)))
}
