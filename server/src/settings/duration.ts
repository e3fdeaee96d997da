import { AdministrationError } from './administration-error.ts'

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])
const longestDays = 36_500

/** Parses a text such as `90d` to milliseconds: a whole number and s, m, h or d, at most a hundred years. */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d+)([smhd])$/u.exec(text) ?? []
  const seconds = Number(amount) * (unitSeconds.get(unit) ?? Number.NaN)
  if (Number.isNaN(seconds)) {
    throw new AdministrationError(`"${text}" is no duration: write a number and s, m, h or d, such as 90d`)
  }
  if (seconds > longestDays * 86_400) throw new AdministrationError(`"${text}" is longer than ${longestDays}d`)
  return seconds * 1000
}
