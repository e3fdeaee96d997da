import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { runMigration } from './run-migration.ts'
import { inTransaction, type Run, statementsOf } from './script.ts'
import { shortWait, whenFree } from './when-free.ts'

/**
 * Whether a migration runs in steps because tables are full and in use; its first line says so. `-- step` lines divide the steps. Each step
 * is a transaction, or a single statement that cannot be in one, such as `create index concurrently`. Every step but the last can be
 * repeated. The last step is one transaction with the record that the migration was applied.
 */
export function hasSteps(text: string): boolean {
  return text.startsWith('-- In steps.')
}

/**
 * Applies a migration step by step; false if another process has applied it meanwhile. A process without the lock polls for it. It must not
 * wait in a statement, because building an index concurrently waits for running statements.
 */
export async function applyInSteps(database: Database, name: string, text: string): Promise<boolean> {
  const steps = text.split(/^-- step.*$/mu)
  const last = steps.pop() ?? ''
  return database.session(async run => {
    while ((await run('select pg_try_advisory_lock(7236118191) as held'))[0]?.held !== true)
      await sleep(pollMilliseconds)
    if ((await run(`select name from schema_migrations where name = '${name}'`)).length > 0) return false
    const halfBuilt = (await run(selectHalfBuilt)).map(({ index }) => String(index))
    for (const index of halfBuilt.filter(each => text.includes(each)))
      await run(`drop index concurrently if exists ${index}`)
    for (const step of steps) await runStep(run, step)
    await runStep(run, `${last}; insert into schema_migrations (name) values ('${name}')`)
    return true
  })
}

const pollMilliseconds = 200

// An index whose build was interrupted is invalid but keeps its name, so it is dropped before it is built again.
const selectHalfBuilt = `
  select quote_ident(x.relname) as index
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
    join pg_class r on r.oid = i.indrelid
   where not i.indisvalid and r.relkind = 'r' and r.relnamespace = current_schema()::regnamespace`

/** Runs one step. A concurrent statement cannot be in a transaction, and blocks nobody, so it may wait for locks itself. */
async function runStep(run: Run, step: string): Promise<void> {
  const isConcurrent = statementsOf(step).some(each => /\bconcurrently\b/u.test(each))
  await run(`set lock_timeout = ${isConcurrent ? 0 : `'${shortWait}'`}`)
  await whenFree(async () => {
    if (isConcurrent) await run(step)
    else await inTransaction(run, () => runMigration(run, step))
  })
}
