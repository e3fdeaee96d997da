import type { Database } from './database.ts'
import { statement } from './statement.ts'

// Tables that have grown to a multiple of what the planner knows of them. PostgreSQL does this itself, but may take a
// minute, in which a fresh installation runs the plans of empty tables. Rows that only change do not count: each new
// statistic has every connection plan anew.
const selectGrownTables = statement(
  'select_grown_tables',
  `select s.relname as name
     from pg_stat_user_tables s
     join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and pg_has_role(c.relowner, 'member')
      and s.n_live_tup > greatest(500, 2 * c.reltuples)`,
)

const everyMilliseconds = 5000

/** Gathers statistics of tables that grow fast; returns how to stop. Failures are left to the next turn. */
export function keepStatistics(database: Database): () => void {
  const timer = setInterval(async () => {
    try {
      const grown = await database.search(selectGrownTables, [])
      for (const { name } of grown) await database.script(`analyze (skip_locked) ${String(name)}`)
    } catch {
      // The database is away; what needs it says so.
    }
  }, everyMilliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
