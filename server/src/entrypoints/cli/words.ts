import { AdministrationError, parseDuration } from '../../settings/index.ts'

/** The parts of a comma-separated list; undefined for an absent one. */
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').flatMap(part => part.trim() || [])
}

/** A whole number; NaN, which no command accepts, for any other text. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d+$/u.test(text) ? Number(text) : Number.NaN
}

/** Parses a time such as `2026-03-31`, a time with an offset, or `7d` for seven days before `now`, as milliseconds since 1970. */
export function timeSince(text: string, now: number): number {
  if (/^\d+[smhd]$/u.test(text)) return now - parseDuration(text)
  const time = /^\d{4}-\d{2}-\d{2}(T.+)?$/u.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new AdministrationError(`"${text}" is no time: write one such as 2026-03-31 or 7d`)
  return time
}
