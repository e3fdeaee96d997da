import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, statement } from '../../../server/src/kernel/sql/index.ts'

const selectRunning = statement(
  'abuse_running',
  `select count(*)::integer as running from pg_stat_activity
    where application_name = 'crm-server' and backend_type = 'client backend' and state = 'active'
      and pid <> pg_backend_pid() and strpos(query, $1) > 0`,
)

/** How many statements with such a text the database is busy with. */
export async function runningStatements(database: Database, text: string): Promise<number> {
  const [row] = await database.search(selectRunning, [text])
  return Number(row?.running)
}

const selectBegun = statement(
  'abuse_begun',
  `select pid || ' ' || query_start as begun from pg_stat_activity
    where application_name = 'crm-server' and backend_type = 'client backend' and strpos(query, $1) > 0
      and query_start > $2`,
)
const selectNow = statement('abuse_now', 'select clock_timestamp()::text as now')

/** How many statements with such a text begin within that time: at least, because a short one may not be seen. */
export async function begunStatements(database: Database, text: string, milliseconds: number): Promise<number> {
  const [start] = await database.search(selectNow, [])
  const seen = new Set<unknown>()
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20)) {
    for (const { begun } of await database.search(selectBegun, [text, start?.now])) seen.add(begun)
  }
  return seen.size
}
