import { isUuid, phoneDigits, truthInWords } from '../../../kernel/schema/index.ts'
import { readDate } from '../cells/read-date.ts'
import { writtenNumber } from '../cells/read-number.ts'
import { emailsIn, phonesIn } from '../cells/several-values.ts'

/** The type that the values of a column appear to have. It is only a hint for people. */
export const detectedTypes = [
  'empty',
  'uuid',
  'email',
  'url',
  'boolean',
  'date',
  'integer',
  'decimal',
  'phone',
  'text',
] as const
export type DetectedType = (typeof detectedTypes)[number]

export function isDetectedType(value: unknown): value is DetectedType {
  return detectedTypes.some(each => each === value)
}

const forms: readonly (readonly [type: DetectedType, test: (text: string) => boolean])[] = [
  ['uuid', isUuid],
  ['email', text => emailsIn(text).every(each => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(each))],
  ['url', text => /^(?:https?:\/\/|www\.)\S+$/iu.test(text)],
  ['boolean', text => truthInWords(text) !== undefined],
  ['date', isLikeDate],
  ['phone', text => phonesIn(text).every(isLikePhone)],
  ['integer', text => /^-?\d+$/u.test(text)],
  ['decimal', text => Object.keys(writtenNumber(text)?.readings ?? {}).length > 0],
]

/** The type that all values share: `text` if they differ, `empty` if there are none. */
export function detectType(values: readonly string[]): DetectedType {
  const filled = values.map(value => value.trim()).filter(value => value !== '')
  if (filled.length === 0) return 'empty'
  return forms.find(([, test]) => filled.every(test))?.[0] ?? 'text'
}

/** A date with separators or a name of a month: eight or five digits may be anything. */
function isLikeDate(text: string): boolean {
  return /\D/u.test(text) && readDate(text, {}) !== null && !/^\d+[.]\d+$/u.test(text)
}

/** A number that is recognizable as a phone number: by a plus, by its spacing, or by its length. */
function isLikePhone(text: string): boolean {
  const digits = phoneDigits(text)
  if (digits === null || digits.length < 7 || digits.length > 15) return false
  return text.startsWith('+') || /[()\s-]/u.test(text.trim()) || digits.length >= 10
}

/** Whether a spreadsheet has shortened a long number so that its last digits are lost, as in `7.9E+10`. */
export function isScientific(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+)?e\+?\d+$/iu.test(text.trim())
}
