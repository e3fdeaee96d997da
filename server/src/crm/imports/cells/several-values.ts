import { isEmail } from '../../../kernel/schema/index.ts'

/** The most values that are read from one cell: a record has no more. */
export const mostInCell = 20

const severalMarks = /[[<;,|\s]|mailto:/iu

/**
 * The e-mail addresses in a cell, without names and `mailto:`: `Ann <a@b.com>; c@d.com`, or a JSON list. A text that is anything else is
 * returned as the only value, and is refused later. Returns at most one more than `mostInCell`.
 */
export function emailsIn(text: string): readonly string[] {
  if (!severalMarks.test(text)) return [text]
  const found = jsonList(text)?.map(each => mailbox(each)) ?? mailboxes(text)
  return distinct(found, each => each.toLowerCase()) ?? [text]
}

/**
 * Divides outside of quotation marks. A part without an address begins the name in the next part: `Smith, Ann <a@b.com>`. Null stands for a
 * part that is no address.
 */
function mailboxes(text: string): (string | null)[] {
  const parts = (text.match(/(?:"[^"]*"|[^";,|\r\n])+/gu) ?? []).map(part => part.trim()).filter(part => part !== '')
  const found: (string | null)[] = []
  let isInName = false
  for (const part of parts) {
    if (!part.includes('@')) {
      isInName = true
      continue
    }
    const isNamed = part.endsWith('>')
    if (isInName && !isNamed) return [null]
    isInName = false
    found.push(...(isNamed ? [part] : part.split(/\s+/u)).map(mailbox))
  }
  return isInName ? [null] : found
}

function mailbox(text: string): string | null {
  const [, named] = /<([^<>]*)>$/u.exec(text.trim()) ?? []
  const address = (named ?? text)
    .trim()
    .replace(/^mailto:/iu, '')
    .replace(/\?.*$/su, '')
  return isEmail(address) ? address : null
}

const dividing = /[;,|\r\n/[]/u
/** A number with an extension, as people write them. */
const phone = /^[+(\d][\d\s()+.\-/]*(?:(?:ext|extension|x|доб|int|#)[\s.:]*\d{1,8})?$/iu
/** What follows belongs to the number before it. */
const extension = /^(?:ext|extension|x|доб|int|#)[\s.:=]*\d{1,8}$/iu
const [fewestDigits, mostDigits] = [6, 15]
/** As many numbers as a record has, of the greatest length. Dividing a longer text at its slashes would take long. */
const longestPhones = mostInCell * 50

/**
 * The phone numbers in a cell, divided by semicolons, commas, bars, line breaks or slashes, or in a JSON list. An extension stays with its
 * number, and so does a slash within a number such as `030/1234567`. If one part is no whole number, the text is the only value. Returns at
 * most one more than `mostInCell`.
 */
export function phonesIn(text: string): readonly string[] {
  if (text.length > longestPhones || !dividing.test(text)) return [text]
  const parts =
    jsonList(text) ??
    joined(text.split(/[;,|\r\n]+/u))
      .flatMap(part => divided(part, ' / '))
      .flatMap(part => divided(part, '/'))
  const numbers = parts.map(part => (isWholePhone(part) ? part : null))
  return distinct(numbers, each => each.replace(/[^\d+]/gu, '')) ?? [text]
}

/** The parts without outer spaces, with extensions behind their numbers. */
function joined(parts: readonly string[]): string[] {
  const numbers: string[] = []
  for (const part of parts.map(each => each.trim()).filter(each => each !== '')) {
    const before = numbers.at(-1)
    if (before !== undefined && extension.test(part)) numbers[numbers.length - 1] = `${before} ${part}`
    else numbers.push(part)
  }
  return numbers
}

/** A slash divides numbers if both sides are whole, and the second begins like one or both are too long for one number. */
function divided(text: string, slash: string): string[] {
  const [first = '', ...others] = text.split(slash)
  const numbers: string[] = []
  let number = first
  for (const part of others) {
    const isLikeNext = /^\s*(?:\+|\(?0)/u.test(part) || digitsIn(`${number}${part}`) > mostDigits
    if (isLikeNext && isWholePhone(number) && isWholePhone(part)) {
      numbers.push(number.trim())
      number = part
    } else number = `${number}${slash}${part}`
  }
  return [...numbers, number.trim()]
}

function isWholePhone(text: string): boolean {
  const digits = digitsIn(text.replace(/(?:ext|extension|x|доб|int|#).*$/iu, ''))
  return phone.test(text.trim()) && digits >= fewestDigits && digits <= mostDigits
}

function digitsIn(text: string): number {
  return text.replace(/\D/gu, '').length
}

/** The texts and numbers of a JSON list; undefined if the text is none. */
function jsonList(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(each => (typeof each === 'object' ? '' : String(each).trim())) : undefined
  } catch {
    return undefined
  }
}

/** Each value once, in order; null if there is none, or if something is no value. */
function distinct(values: readonly (string | null)[], comparable: (value: string) => string): string[] | null {
  const found = new Map<string, string>()
  for (const value of values) {
    if (value === null) return null
    if (!found.has(comparable(value))) found.set(comparable(value), value)
    if (found.size > mostInCell) break
  }
  return found.size === 0 ? null : [...found.values()]
}
