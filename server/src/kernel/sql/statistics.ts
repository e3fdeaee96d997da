import type { Database } from './database.ts'
import { statement } from './statement.ts'

// Finds tables that have grown to a multiple of what the planner knows. PostgreSQL notices this itself, but that may
// take a minute, in which a new installation uses plans for empty tables. Rows that only change do not count, because
// each new statistic makes every connection plan anew.
const selectGrownTables = statement(
  'select_grown_tables',
  `select s.relname as name
     from pg_stat_user_tables s
     join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and pg_has_role(c.relowner, 'member')
      and s.n_live_tup > greatest(500, 2 * c.reltuples)`,
)

const everyMilliseconds = 5000

/**
 * Gathers statistics of tables that grow fast; returns how to stop. After a failure it tries again at the next turn.
 */
export function keepStatistics(database: Database): () => void {
  const timer = setInterval(async () => {
    try {
      const grown = await database.search(selectGrownTables, [])
      for (const { name } of grown) await database.script(`analyze (skip_locked) ${String(name)}`)
    } catch {
      // The database is away. Whatever needs the database reports that.
    }
  }, everyMilliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
