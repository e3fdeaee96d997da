import { isUuid } from '../kernel/schema/index.ts'
import { AdministrationError, noSuch } from './administration-error.ts'

/** Normalizes an identifier; a text that is not a UUID counts as unknown. */
export function uuidOf(what: string, id: string): string {
  if (!isUuid(id)) throw noSuch(what, id)
  return id.toLowerCase()
}

/** One of several words. */
export function wordOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const word = words.find(candidate => candidate === text)
  if (word === undefined) throw new AdministrationError(wordMessage(what, words, text))
  return word
}

export function wordMessage(what: string, words: readonly string[], text: string): string {
  return `${what} is one of ${words.join(', ')}, not "${text}"`
}

/** The name of a kind of settings in messages and commands: `lost reason`. */
export function wordFor({ kind }: { readonly kind: string }): string {
  return kind.replaceAll('_', ' ')
}

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

const units = ['KiB', 'MiB', 'GiB', 'TiB']
const bytesOf = (unit: string) => 1024 ** (units.indexOf(unit) + 1)

/** Parses a text such as `40GiB` to bytes: a whole number and KiB, MiB, GiB or TiB, or 0. */
export function parseSize(text: string): number {
  const [, amount, unit] = /^(\d+)\s?([KMGT]iB)$/u.exec(text) ?? []
  const bytes = unit === undefined ? Number.NaN : Number(amount) * bytesOf(unit)
  if (text === '0') return 0
  if (!Number.isSafeInteger(bytes))
    throw new AdministrationError(`"${text}" is no size: write a number and ${units.join(', ')}, such as 40GiB`)
  return bytes
}

/** Formats bytes in the largest unit that gives a whole number: `40GiB`. */
export function sizeText(bytes: number): string {
  const unit = units.findLast(each => bytes > 0 && bytes % bytesOf(each) === 0)
  return unit === undefined ? `${bytes} bytes` : `${bytes / bytesOf(unit)}${unit}`
}
