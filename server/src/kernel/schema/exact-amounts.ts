import { Decimal, decimalOfNumber } from './money.ts'

/**
 * `JSON.parse` rounds numbers: it turns `1e-400` into 0, and `1.10000000000000000001` into 1.1. An amount is refused instead (contract
 * section 0, "Decimal string"). If the parsed `amount` of a body, or of one of its `items`, may differ from the number in the text, this
 * replaces it by an object with that text, which is not a valid amount.
 *
 * @param value the result of JSON.parse; it is changed in place.
 */
export function refuseRoundedAmounts(value: unknown, json: string): void {
  if (!hasNumber(value) && !itemsOf(value).some(hasNumber)) return
  if (!mayBeRounded.test(json)) return
  const written: unknown = JSON.parse(longNumbersAsTexts(json))
  refuseRounded(value, written)
  const writtenItems = itemsOf(written)
  for (const [index, item] of itemsOf(value).entries()) refuseRounded(item, writtenItems[index])
}

function refuseRounded(value: unknown, written: unknown): void {
  if (!hasAmount(value) || !hasAmount(written) || typeof written.amount !== 'string') return
  if (typeof value.amount !== 'number') return
  const decimal = decimalOfNumber(value.amount)
  if (decimal !== null && !new Decimal(written.amount).eq(decimal)) value.amount = { number: written.amount }
}

function hasAmount(value: unknown): value is { amount: unknown } {
  return typeof value === 'object' && value !== null && 'amount' in value
}

function hasNumber(value: unknown): boolean {
  return hasAmount(value) && typeof value.amount === 'number'
}

const noItems: readonly unknown[] = []

function itemsOf(value: unknown): readonly unknown[] {
  const isObject = typeof value === 'object' && value !== null
  return isObject && 'items' in value && Array.isArray(value.items) ? value.items : noItems
}

// A number of at most 15 digits keeps every digit.
const mayBeRounded = /:\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/u
const isLong = /[eE]|.{16}/u
const number = /[\d.eE+-]+/uy
const [space, quote, colon, minus, zero, nine] = [0x20, 0x22, 0x3a, 0x2d, 0x30, 0x39]

/**
 * The same JSON with strings in place of numbers that may be rounded. So the parser itself assigns each text to its member, whatever
 * escapes and repeated names there are.
 */
function longNumbersAsTexts(json: string): string {
  let copy = ''
  let copied = 0
  let previous = 0
  let at = 0
  while (at < json.length) {
    const character = json.charCodeAt(at)
    const start = at
    at += 1
    if (character === quote) at = endOfText(json, start)
    else if (previous === colon && (character === minus || (character >= zero && character <= nine))) {
      number.lastIndex = start
      number.test(json)
      at = number.lastIndex
      const text = json.slice(start, at)
      if (isLong.test(text)) {
        copy += `${json.slice(copied, start)}"${text}"`
        copied = at
      }
    }
    if (character > space) previous = character
  }
  return copy + json.slice(copied)
}

/** The index after a string that begins at a quotation mark. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json[first - 1] === '\\') first -= 1
  return (at - first) % 2 === 1
}
