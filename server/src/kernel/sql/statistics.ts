import type { Database } from './database.ts'
import { statement } from './statement.ts'

// Finds tables that have grown to a multiple of their size in the planner's statistics. Autovacuum detects this too, but may take a minute,
// in which a new installation uses plans for empty tables. Updated rows do not count, because new statistics make every connection plan
// again.
const selectGrownTables = statement(
  'select_grown_tables',
  `select s.relname as name
     from pg_stat_user_tables s
     join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and pg_has_role(c.relowner, 'member')
      and s.n_live_tup > greatest(500, 2 * c.reltuples)`,
)

const everyMilliseconds = 5000

/** Gathers statistics of tables that grow fast; returns a function that stops this. After a failure it tries again at the next interval. */
export function keepStatistics(database: Database): () => void {
  const timer = setInterval(async () => {
    try {
      const grown = await database.search(selectGrownTables, [])
      for (const { name } of grown) await database.script(`analyze (skip_locked) ${String(name)}`)
    } catch {
      // The database is unavailable. Other code that needs it reports that.
    }
  }, everyMilliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
