import { isDate } from './dates.ts'

const day = 24 * 60 * 60 * 1000
const clocks = new Map<string, Intl.DateTimeFormat>()

/**
 * Whether a timestamp is later than a date or another timestamp. A date lasts until its day ends in the time zone; that
 * day need not have 24 hours.
 */
export function isLater(timestamp: string, than: string, timeZone: string): boolean {
  const at = Date.parse(timestamp)
  if (!isDate(than)) return at > Date.parse(than)
  // The local time in the time zone, written as if it were UTC.
  return at + offsetAt(at, timeZone) >= Date.parse(than) + day
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
