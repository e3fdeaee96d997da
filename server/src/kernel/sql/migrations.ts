import { readdir, readFile } from 'node:fs/promises'
import type { Database } from './database.ts'
import { type Statement, statement } from './statement.ts'

const folder = new URL('../../../migrations/', import.meta.url)

const createTable = `
  create table if not exists schema_migrations (
    name text primary key,
    applied_at timestamptz not null default now()
  )`

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
 * The first line of a migration that meets full tables in use. Such a migration has steps, divided by `-- step` lines. Each step
 * is a transaction, or a single statement that cannot be in one, such as `create index concurrently`. Every step but the last
 * can be repeated. The last step is one transaction with the note that the migration was applied.
 */
const inSteps = '-- In steps.'

/** Applies the missing migrations in order, each in a transaction or in steps, under a lock; returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  await database.expectOwnSessions()
  const version = Number((await database.search(selectServerVersion, []))[0]?.version)
  if (version < oldestServer)
    throw new Error(`PostgreSQL 15 or later is needed, this is ${Math.floor(version / 10_000)}`)
  const applied: string[] = []
  for (const name of await pendingMigrations(database)) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const run = text.startsWith(inSteps) ? applyInSteps : apply
    if (await run(database, name, text)) applied.push(name)
  }
  return applied
}

/** Names of migrations that the database lacks. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
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
      ${text}
      ;insert into schema_migrations (name) values ('${name}');
      commit`)
    return true
  } catch (error) {
    if (error instanceof Error && error.message === marker) return false
    throw error
  }
}

// What was interrupted while it was built is of no use, and keeps its name.
const selectHalfBuilt = `
  select format('drop index concurrently if exists %s', i.indexrelid::regclass) as text
    from pg_index i join pg_class r on r.oid = i.indrelid
   where not i.indisvalid and r.relkind = 'r' and r.relnamespace = current_schema()::regnamespace`

const pollMilliseconds = 200

/** The same in steps. Who waits asks again and again: a statement that waits would be waited for by the building of an index. */
async function applyInSteps(database: Database, name: string, text: string): Promise<boolean> {
  const steps = text.split(/^-- step.*$/mu)
  const last = steps.pop() ?? ''
  return database.session(async run => {
    while ((await run('select pg_try_advisory_lock(7236118191) as held'))[0]?.held !== true)
      await new Promise(resolve => setTimeout(resolve, pollMilliseconds))
    if ((await run(`select name from schema_migrations where name = '${name}'`)).length > 0) return false
    for (const half of await run(selectHalfBuilt)) await run(String(half.text))
    for (const step of steps) await run(step)
    await run(`begin; ${last}; insert into schema_migrations (name) values ('${name}'); commit`)
    return true
  })
}
