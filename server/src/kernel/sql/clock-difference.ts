import type { Database } from './database.ts'
import { statement } from './statement.ts'

const selectTime = statement('select_time', 'select clock_timestamp() as now')

/** By how many milliseconds the clock of this machine differs from that of the database, at least. */
export async function clockDifference(database: Database): Promise<number> {
  const before = Date.now()
  const [row] = await database.search(selectTime, [])
  const after = Date.now()
  const there = Date.parse(String(row?.now))
  // The answer was made at some moment between the two.
  return Math.max(0, there - after, before - there)
}

/** Tells the operator of such a difference, and what to do. */
export function adviceOnClock(milliseconds: number): string {
  return (
    `the clock of this machine differs from that of the database by ${milliseconds} ms: ` +
    'have both set by NTP, as with "timedatectl set-ntp true"'
  )
}
