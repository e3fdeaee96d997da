import type { Database } from './database.ts'
import { statement } from './statement.ts'

const selectTime = statement('select_time', 'select clock_timestamp() as now')

/** The least difference, in milliseconds, between the clocks of this machine and of the database. */
export async function clockDifference(database: Database): Promise<number> {
  const before = Date.now()
  const [row] = await database.search(selectTime, [])
  const after = Date.now()
  const there = Date.parse(String(row?.now))
  // The database read its clock between these two moments.
  return Math.max(0, there - after, before - there)
}

/** A message for the operator about such a difference, and what to do. */
export function adviceOnClock(milliseconds: number): string {
  return (
    `the clock of this machine differs from that of the database by ${milliseconds} ms: ` +
    'have both set by NTP, as with "timedatectl set-ntp true"'
  )
}
