import { isCurrency } from '../../../kernel/schema/index.ts'
import { type DecimalMark, decimalMarks, type NumberReadings, numberReadings } from './decimal-mark.ts'

interface Written {
  readonly isNegative: boolean
  /** Whether a currency or a percent sign stands beside the number. */
  readonly hasUnit: boolean
  readonly readings: NumberReadings
}

const longest = 60
const sign = '([-−–+]?)'
const currency = '([A-Z]{0,2}\\p{Sc}|[A-Z]{3})?'
const form = new RegExp(
  `^${sign}\\s?${currency}\\s?${sign}\\s?(\\d[\\d\\s.,'’]*?)\\s?%?\\s?${currency}\\s?${sign}$`,
  'u',
)
const inParentheses = /^([^()]*)\(([^()]+)\)([^()]*)$/u

/** The digits and marks of a number, with all that may stand beside them; null if the text is no number. */
export function writtenNumber(text: string): Written | null {
  if (text.length > longest) return null
  // Accountants write a negative amount in parentheses.
  const [, before, inside, behind] = inParentheses.exec(text) ?? []
  const plain = inside === undefined ? text : `${before}-${inside}${behind}`
  const [, first = '', one, second = '', digits = '', other, third = ''] = form.exec(plain) ?? []
  const signs = `${first}${second}${third}`
  if (digits === '' || signs.length > 1 || !isUnit(one) || !isUnit(other)) return null
  const hasUnit = one !== undefined || other !== undefined || plain.includes('%')
  return { isNegative: /[-−–]/u.test(signs), hasUnit, readings: numberReadings(digits) }
}

function isUnit(text: string | undefined): boolean {
  return text === undefined || /\p{Sc}/u.test(text) || isCurrency(text)
}

/**
 * A decimal string, `-1234.5`; `unclear` if a mark may be a decimal mark or divide thousands, and the column does not decide; or null if a
 * text is no number.
 */
export type ReadNumber = { readonly number: string } | 'unclear' | null

/** The number in a cell. Currencies and percent signs are dropped: 12 % is 12. */
export function readDecimal(text: string, mark: DecimalMark | null): ReadNumber {
  return chosen(writtenNumber(text), mark, () => true)
}

/** The same for whole numbers, which have no unit, and no decimals but zeros. */
export function readInteger(text: string, mark: DecimalMark | null): ReadNumber {
  const written = writtenNumber(text)
  if (written?.hasUnit === true) return null
  const read = chosen(written, mark, each => /^\d+(?:\.0+)?$/u.test(each))
  return read === null || read === 'unclear' ? read : { number: read.number.replace(/\.0+$/u, '') }
}

function chosen(written: Written | null, mark: DecimalMark | null, fits: (number: string) => boolean): ReadNumber {
  if (written === null) return null
  const { readings, isNegative } = written
  const read = (mark === null ? decimalMarks : [mark]).flatMap(each => readings[each] ?? [])
  const [number, other] = new Set(read.filter(fits))
  if (number === undefined) return null
  if (other !== undefined) return 'unclear'
  return { number: isNegative ? `-${number}` : number }
}
