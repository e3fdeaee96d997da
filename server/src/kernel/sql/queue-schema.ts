import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { queueLibrary } from './queue-library.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

/** The schema revision that the library of the job queue needs; a test compares it with the library. */
export const queueRevision = 19

const pollMilliseconds = 200

// Without this table there is no revision to read.
const selectQueueTables = statement(
  'select_queue_tables',
  `select c.oid::regclass::text as name, c.relrowsecurity as secured from pg_class c
    where c.relnamespace = to_regnamespace('graphile_worker') and c.relkind = 'r'`,
)
const selectRevision = statement(
  'select_queue_revision',
  'select coalesce(max(m.id), 0) as revision from graphile_worker.migrations m',
)

/**
 * Brings the schema of the job queue up to date. Loads the library only if there is something to apply. Its tables have row-level security
 * without a policy, so that only their owner could use them; here only privileges decide.
 */
export async function migrateQueue(database: Database): Promise<void> {
  if (await isUsable(asked => database.search(asked, []))) return
  await database.session(async run => {
    const ask = ({ text }: Statement) => run(text)
    while ((await run('select pg_try_advisory_lock(7236118192) as held'))[0]?.held !== true)
      await sleep(pollMilliseconds)
    if (await isUsable(ask)) return
    const { runMigrations } = await queueLibrary()
    await runMigrations({ pgPool: database.queuePool() })
    for (const { name, secured } of await ask(selectQueueTables))
      if (secured === true) await run(`alter table ${String(name)} disable row level security`)
  })
}

/** Whether the schema exists and is usable: a process that was killed in between may have left tables with row-level security. */
async function isUsable(ask: (statement: Statement) => Promise<Row[]>): Promise<boolean> {
  const tables = await ask(selectQueueTables)
  if (tables.length === 0 || tables.some(({ secured }) => secured === true)) return false
  const [row] = await ask(selectRevision)
  return Number(row?.revision) >= queueRevision
}
