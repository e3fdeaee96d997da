import { phoneDigits } from '../../../kernel/schema/index.ts'
import type { DetectedType } from '../reading/detected-type.ts'
import type { SurveyedColumn } from '../reading/survey.ts'
import { isHonorific } from './full-name.rules.ts'
import type { ImportField } from './import-fields.ts'

/** A way to reach somebody, of which a record has several. */
export type Reach = 'email' | 'phone' | 'website'

/** The types of values that a field can have. A column of `text` has values of several types. */
const types: Readonly<Partial<Record<ImportField['type'], readonly DetectedType[]>>> = {
  uuid: ['uuid'],
  email: ['email', 'text'],
  phone: ['phone', 'integer', 'text'],
  url: ['url', 'text'],
  date: ['date', 'text'],
  datetime: ['date', 'text'],
  integer: ['integer', 'text'],
}

/** The same of fields with texts; fields that are not here can have any text. */
const typesOfTexts: Readonly<Record<string, readonly DetectedType[]>> = {
  externalId: ['uuid', 'integer', 'phone', 'decimal', 'text'],
  'address.postalCode': ['integer', 'phone', 'text'],
  'address.country': ['boolean', 'text'],
  ...Object.fromEntries(
    [
      'firstName',
      'middleName',
      'lastName',
      'fullName',
      'jobTitle',
      'name',
      'legalName',
      'companyName',
      'source',
      'industry',
    ]
      .concat('address.city')
      .map(key => [key, ['text']]),
  ),
}

/**
 * Whether the values of a column are usable for a field. Most exports have the names of owners, but only an e-mail address identifies one;
 * labels are usable only if the organization has such tags.
 */
export function isUsable({ key, type, parse }: ImportField, { detectedType, samples }: SurveyedColumn): boolean {
  if (key === 'ownerEmail') return detectedType === 'email'
  if (detectedType === 'empty') return true
  if (key === 'jobTitle' && samples.every(isHonorific)) return false
  if (type === 'choices' || type === 'integer') return samples.some(sample => parse(sample) !== undefined)
  const allowed = typesOfTexts[key.replace(/\d$/u, '')] ?? types[type]
  if (allowed !== undefined && !allowed.includes(detectedType)) return false
  const looksRight = tests[type]
  return looksRight === undefined || samples.some(looksRight)
}

/** What at least one value of a column looks like. Lists of values are not usable. */
const tests: Readonly<Partial<Record<ImportField['type'], (text: string) => boolean>>> = {
  email: text => /^[^\s@,;[{"]+@[^\s@,;]+$/u.test(text),
  phone: text => /^[^[{]*\d/u.test(text) && text.replace(/\D/gu, '').length >= 5,
  url: text => /^[^\s[{]+\.[^\s]+$/u.test(text),
  date: text => /\d/u.test(text),
}

/** The way to reach somebody that the values of a column certainly are, whatever its header says; null if they could be something else. */
export function reachOf({ detectedType, samples }: SurveyedColumn): Reach | null {
  if (detectedType === 'email') return 'email'
  if (detectedType === 'url') return 'website'
  return detectedType === 'phone' && samples.every(isCertainPhone) ? 'phone' : null
}

/** Only a plus or brackets distinguish a phone number from the other numbers that have as many digits. */
function isCertainPhone(text: string): boolean {
  return /^\+\d|^\+?\d{0,3}\s?\(\d+\)/u.test(text) && phoneDigits(text) !== null
}
