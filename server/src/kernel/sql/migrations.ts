import { readdir, readFile } from 'node:fs/promises'
import { packageFolder } from '../places.ts'
import type { Database } from './database.ts'
import { applyInSteps, hasSteps } from './migration-steps.ts'
import { migrateQueue } from './queue-schema.ts'
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
const oldestServer = 150_000
const selectServerVersion = statement(
  'select_server_version',
  `select current_setting('server_version_num')::integer as version`,
)

/**
 * Applies the missing migrations in order, each in a transaction or in steps, under a lock; returns their names. `last` is the one
 * behind which it stops.
 */
export async function migrate(database: Database, last?: string): Promise<string[]> {
  await database.expectOwnSessions()
  const version = Number((await database.search(selectServerVersion, []))[0]?.version)
  if (version < oldestServer)
    throw new Error(`PostgreSQL 15 or later is needed, this is ${Math.floor(version / 10_000)}`)
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
  // A user who may change rows and nothing else can serve a database that somebody else has migrated.
  const [table] = await database.search(selectTable, [])
  if (table?.known !== true)
    await database.script(`begin; select pg_advisory_xact_lock(7236118190); ${createTable}; commit`)
  const applied = new Set((await database.search(selectApplied, [])).map(row => row.name))
  return names.filter(name => !applied.has(name))
}

/** Applies one migration; false if another process has applied it in the meantime. */
async function apply(database: Database, name: string, text: string): Promise<boolean> {
  const marker = `crm-migration-applied-${name}`
  try {
    // The script is one transaction. It takes the lock itself, so that a second process waits.
    await database.script(`
      begin;
      select pg_advisory_xact_lock(7236118190);
      do $check$ begin
        if exists (select from schema_migrations where name = '${name}') then raise exception '${marker}'; end if;
      end $check$;
      set local lock_timeout = '${shortWait}';
      ${text}
      ;insert into schema_migrations (name) values ('${name}');
      commit`)
    return true
  } catch (error) {
    if (error instanceof Error && error.message === marker) return false
    throw error
  }
}
