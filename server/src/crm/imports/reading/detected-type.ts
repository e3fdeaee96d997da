import { isDate, isUuid, phoneDigits } from '../../../kernel/schema/index.ts'

/** What the values of a column look like. It is a help for people, and decides nothing. */
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
  ['email', text => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text)],
  ['url', text => /^(?:https?:\/\/|www\.)\S+$/iu.test(text)],
  ['boolean', text => /^(?:true|false|yes|no|ja|nein|да|нет)$/iu.test(text)],
  ['date', text => isDate(text.slice(0, 10)) || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/u.test(text)],
  ['phone', text => isLikePhone(text)],
  ['integer', text => /^-?\d+$/u.test(text)],
  ['decimal', text => /^-?\d+[.,]\d+$/u.test(text)],
]

/** The type that all values have, `text` if they differ, `empty` if there are none. */
export function detectType(values: readonly string[]): DetectedType {
  const filled = values.map(value => value.trim()).filter(value => value !== '')
  if (filled.length === 0) return 'empty'
  return forms.find(([, test]) => filled.every(test))?.[0] ?? 'text'
}

/** A number that shows itself as one to call: by a plus, by its spacing, or by its length. */
function isLikePhone(text: string): boolean {
  const digits = phoneDigits(text)
  if (digits === null || digits.length < 7 || digits.length > 15) return false
  return text.startsWith('+') || /[()\s-]/u.test(text.trim()) || digits.length >= 10
}

/** Whether a spreadsheet wrote a long number so that its last digits are lost, as `7.9E+10`. */
export function isScientific(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+)?e\+?\d+$/iu.test(text.trim())
}
