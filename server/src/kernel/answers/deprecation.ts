import type { Deprecation } from '../operation.ts'

/** The least number of months between both days (contract section 14). */
const noticeMonths = 6

/** Whether clients have enough time to migrate. */
export function givesNotice({ since, sunset }: Deprecation): boolean {
  const earliest = startOf(since)
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths)
  return startOf(sunset) >= earliest
}

/** The headers of every response of a deprecated route: RFC 9745, RFC 8594, RFC 5829. */
export function deprecationHeaders({ since, sunset, successor }: Deprecation): Record<string, string> {
  return {
    Deprecation: `@${startOf(since).getTime() / 1000}`,
    Sunset: startOf(sunset).toUTCString(),
    Link: `<${successor}>; rel="successor-version"`,
  }
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}
