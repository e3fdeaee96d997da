import { codePoints, isCurrency, isUuid, tidyText } from '../kernel/schema/index.ts'
import { AdministrationError, noSuch } from './administration-error.ts'

const controls = /\p{Cc}/u

/** A name as it is kept: NFC, trimmed, 1 to `most` characters, no control characters. */
export function nameOf(what: string, text: string, most = 200): string {
  const name = tidyText(text)
  if (name === '' || codePoints(name) > most || controls.test(name)) {
    throw new AdministrationError(`${what} takes 1 to ${most} characters, without control characters`)
  }
  return name
}

/** An identifier as it is kept; one that is no UUID is an unknown one. */
export function uuidOf(what: string, id: string): string {
  if (!isUuid(id)) throw noSuch(what, id)
  return id.toLowerCase()
}

/** One of the words. */
export function wordOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const word = words.find(candidate => candidate === text)
  if (word === undefined) throw new AdministrationError(`${what} is one of ${words.join(', ')}, not "${text}"`)
  return word
}

export function timeZoneOf(text: string): string {
  // Newer engines also take offsets such as +01:00, which are no time zones of the IANA database.
  const wrong = () => new AdministrationError(`"${text}" is no time zone: write one such as Europe/Berlin`)
  if (!/^[A-Za-z]/u.test(text)) throw wrong()
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // Only letter case is put right: an alias stays what was asked for.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text
  } catch {
    throw wrong()
  }
}

export function currencyOf(text: string): string {
  if (!isCurrency(text)) throw new AdministrationError(`"${text}" is no ISO 4217 currency code such as USD`)
  return text
}

const highestRate = 1_000_000_000

/** Requests per minute. */
export function rateOf(what: string, rate: number): number {
  if (!Number.isInteger(rate) || rate < 1 || rate > highestRate) {
    throw new AdministrationError(`${what} is a whole number of requests per minute, from 1 to ${highestRate}`)
  }
  return rate
}

/** Refuses a change that names nothing to change. */
export function requireChange(change: Readonly<Record<string, unknown>>): void {
  if (Object.values(change).every(value => value === undefined)) {
    throw new AdministrationError('nothing to change was given')
  }
}
