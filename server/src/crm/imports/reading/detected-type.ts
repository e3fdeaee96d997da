import { isDate, isUuid, phoneDigits } from '../../../kernel/schema/index.ts'

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
  ['email', text => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text)],
  ['url', text => /^(?:https?:\/\/|www\.)\S+$/iu.test(text)],
  ['boolean', text => /^(?:true|false|yes|no|ja|nein|да|нет)$/iu.test(text)],
  ['date', text => isDate(text.slice(0, 10)) || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/u.test(text)],
  ['phone', text => isLikePhone(text)],
  ['integer', text => /^-?\d+$/u.test(text)],
  ['decimal', text => /^-?\d+[.,]\d+$/u.test(text)],
]

/** The type that all values share: `text` if they differ, `empty` if there are none. */
export function detectType(values: readonly string[]): DetectedType {
  const filled = values.map(value => value.trim()).filter(value => value !== '')
  if (filled.length === 0) return 'empty'
  return forms.find(([, test]) => filled.every(test))?.[0] ?? 'text'
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
