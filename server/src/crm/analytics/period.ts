import { malformed, type Refusal } from '../../kernel/index.ts'
import { dateAt, startOfDay } from '../../kernel/schema/index.ts'

/** The first and last day of a report, both included, and the instants at which they begin and end in the time zone. */
export interface Period {
  readonly startDate: string
  readonly endDate: string
  readonly timeZone: string
  /** The first instant of the period, and the first instant after it. */
  readonly from: string
  readonly to: string
  /** The first instant of the preceding period of the same length. */
  readonly before: string
}

export const mostDays = 366
export const usualDays = 30
const day = 24 * 60 * 60 * 1000

/**
 * The period of a query, by default the last 30 days. Without `endDate` it ends today; without `startDate` it has 30 days (contract section
 * 12). Returns 400 if it would end before it starts or have more than 366 days.
 */
export function periodOf(query: Readonly<Record<string, unknown>>, timeZone: string, now: number): Period | Refusal {
  const endDate = typeof query.endDate === 'string' ? query.endDate : dateAt(now, timeZone)
  const startDate = typeof query.startDate === 'string' ? query.startDate : addDays(endDate, 1 - usualDays)
  const days = (Date.parse(endDate) - Date.parse(startDate)) / day + 1
  if (days < 1) return refuse('order', `The period would end before it starts, on ${endDate}`)
  if (days > mostDays) return refuse('length', `The period would have ${days} days; at most ${mostDays} are possible`)
  return {
    startDate,
    endDate,
    timeZone,
    from: startOfDay(startDate, timeZone),
    to: startOfDay(addDays(endDate, 1), timeZone),
    before: startOfDay(addDays(startDate, -days), timeZone),
  }
}

function refuse(rule: string, message: string): Refusal {
  return malformed([{ path: 'query:startDate', rule, message }])
}

const [firstDay, lastDay] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')]

/** The date a number of days later, limited to years of four digits. */
function addDays(date: string, days: number): string {
  const at = Date.parse(date) + days * day
  return new Date(Math.min(Math.max(at, firstDay), lastDay)).toISOString().slice(0, 10)
}
