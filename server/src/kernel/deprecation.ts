/** The announcement that a route will go: from when it is deprecated, from when it may be gone, and what takes its place. */
export interface Deprecation {
  /** `2027-01-31`: from that day on it is deprecated. */
  readonly since: string
  /** From that day on it may answer 404. */
  readonly sunset: string
  /** The path that takes its place. */
  readonly successor: string
}

/** Months that clients have, at least, between both days (contract section 14). */
const noticeMonths = 6

/** Whether clients have long enough to move. */
export function givesNotice({ since, sunset }: Deprecation): boolean {
  const earliest = startOf(since)
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths)
  return startOf(sunset) >= earliest
}

/** The headers of every answer of a deprecated route: RFC 9745, RFC 8594, RFC 5829; none of any other. */
export function deprecationHeaders(deprecation: Deprecation | undefined): Record<string, string> {
  if (deprecation === undefined) return {}
  const { since, sunset, successor } = deprecation
  return {
    Deprecation: `@${startOf(since).getTime() / 1000}`,
    Sunset: startOf(sunset).toUTCString(),
    Link: `<${successor}>; rel="successor-version"`,
  }
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}
