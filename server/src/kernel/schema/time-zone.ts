import { earliest, isDate, latest } from './dates.ts'

const day = 24 * 60 * 60 * 1000
const clocks = new Map<string, Intl.DateTimeFormat>()

/**
 * Whether a timestamp is later than a date or another timestamp. A date lasts until its day ends in the time zone; that day need not have
 * 24 hours.
 */
export function isLater(timestamp: string, than: string, timeZone: string): boolean {
  const at = Date.parse(timestamp)
  if (!isDate(than)) return at > Date.parse(than)
  // The local time in the time zone, written as if it were UTC.
  return at + offsetAt(at, timeZone) >= Date.parse(than) + day
}

/**
 * The first moment of a date in a time zone, as a timestamp. If midnight occurs twice, this is the earlier one; if clocks skip it, the
 * moment at which they do.
 */
export function startOfDay(date: string, timeZone: string): string {
  return momentOf(Date.parse(date), timeZone)
}

/**
 * The moment at which the clocks of a time zone show a date and time such as `2026-03-01T10:00:00`, as a timestamp. If they show it twice,
 * this is the earlier one; if they skip it, the moment at which they do.
 */
export function momentAt(local: string, timeZone: string): string {
  return momentOf(Date.parse(`${local}Z`), timeZone)
}

/** `shown` is the local time, in milliseconds as if it were UTC. */
function momentOf(shown: number, timeZone: string): string {
  const offsets = [offsetAt(shown - day, timeZone), offsetAt(shown + day, timeZone)]
  const [earlier, later] = [shown - Math.max(...offsets), shown - Math.min(...offsets)]
  const found = [earlier, later].find(moment => moment + offsetAt(moment, timeZone) === shown)
  const moment = found ?? endOfGap(shown, timeZone)
  return new Date(Math.min(Math.max(moment, earliest), latest)).toISOString()
}

/** The first moment at which the clocks show more than the skipped time. */
function endOfGap(shown: number, timeZone: string): number {
  // No time zone is two days ahead or behind.
  let [before, from] = [shown - 2 * day, shown + 2 * day]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (middle + offsetAt(middle, timeZone) >= shown) from = middle
    else before = middle
  }
  return from
}

/** The date that the clocks of a time zone show at a moment, given in milliseconds. */
export function dateAt(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10)
}

/** How many milliseconds a time zone is ahead of UTC at a moment. */
function offsetAt(at: number, timeZone: string): number {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  clocks.set(timeZone, clock)
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/u.exec(clock.format(at)) ?? []
  if (sign === undefined) return 0
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -ahead : ahead) * 1000
}

/** Whether a text is the name of a time zone. Newer engines also accept offsets such as +01:00, which are not in the IANA database. */
export function isTimeZone(zone: string): boolean {
  return /^[A-Za-z]/u.test(zone) && canonicalZone(zone) !== null
}

/** The name of a time zone in its correct letter case. An alias is not replaced. */
export function inKnownCase(value: unknown): unknown {
  const zone = typeof value === 'string' ? canonicalZone(value) : null
  return zone?.toLowerCase() === String(value).toLowerCase() ? zone : value
}

function canonicalZone(zone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
