import { isDate, isDateTime, isUuid, momentAt } from '../../../kernel/schema/index.ts'
import type { ImportField } from '../fields/import-fields.ts'
import { isScientific } from '../reading/detected-type.ts'
import { countryCode } from './country-code.ts'
import type { RowErrorCode } from './row-error.ts'

/** The value of a cell, or why it has none. */
export type ReadValue = { readonly value: unknown } | { readonly code: RowErrorCode; readonly message: string }

const escaped = /^'(?=[=+\-@\t])/u

/**
 * Converts the text of a cell to the value that a request would have. Dates may have dots, countries may be names, and times without an
 * offset are in the time zone. An apostrophe that prevents spreadsheets from computing a formula is removed; but a text, or the name of an
 * option, may also begin with an apostrophe of its own.
 */
export function readValue(field: ImportField, cell: string, timeZone: string): ReadValue {
  if (field.type === 'text' && field.key !== 'address.country') return { value: field.parse(cell) }
  const isChoice = field.type === 'choice' || field.type === 'choices'
  const isKnown = isChoice && field.parse(cell.trim()) !== undefined
  const text = isKnown ? cell.trim() : cell.trim().replace(escaped, '')
  if (field.type === 'phone' && isScientific(text)) {
    const message = 'The number was shortened by a spreadsheet: format the column as text and save the file again'
    return { code: 'invalid_format', message }
  }
  if (field.type === 'uuid' && !isUuid(text)) return { code: 'invalid_format', message: 'A UUID is expected' }
  if (field.type === 'date') return { value: dateOf(text) }
  if (field.type === 'datetime') return { value: dateTimeOf(text, timeZone) }
  if (field.key === 'address.country') return { value: countryCode(text) ?? text }
  const value = field.parse(text)
  if (value !== undefined) return { value }
  return isChoice
    ? { code: 'invalid_option', message: 'There is no such option' }
    : { code: 'invalid_format', message: `This cannot be read as ${wordOf[field.type] ?? 'a value'} `.trim() }
}

/** Whether a field accepts the value of a text, as far as the text alone shows. */
export function canHave(field: ImportField, text: string): boolean {
  const read = readValue(field, text, 'UTC')
  if (!('value' in read)) return false
  if (field.type === 'date') return isDate(String(read.value))
  return field.type !== 'datetime' || isDateTime(String(read.value))
}

const wordOf: Readonly<Partial<Record<ImportField['type'], string>>> = {
  integer: 'a whole number',
  boolean: 'yes or no: true, false, yes, no, 1 and 0 are',
}

/** Converts an unambiguous date to `YYYY-MM-DD`; any other text is returned unchanged, and is refused later. */
function dateOf(text: string): string {
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/u.exec(text)
  if (dotted !== null) return [dotted[3], dotted[2], dotted[1]].map(part => part?.padStart(2, '0')).join('-')
  const packed = /^(\d{4})[/]?(\d{2})[/]?(\d{2})$/u.exec(text)
  if (packed !== null) return packed.slice(1).join('-')
  const day = text.slice(0, 10)
  return /^.{10}[T ]\d{2}:\d{2}/u.test(text) && isDate(day) ? day : text
}

/**
 * Converts a date and time in the time zone, or a date as its beginning, to a timestamp; any other text is returned unchanged. Spreadsheets
 * have no offsets.
 */
function dateTimeOf(text: string, timeZone: string): string {
  const [, day = '', hours = '0', rest = ':00'] =
    /^([\d./-]+)(?:[T ](\d{1,2})(:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/iu.exec(text) ?? []
  const local = `${dateOf(day)}T${hours.padStart(2, '0')}${rest}`
  return isDateTime(`${local}Z`) ? momentAt(local, timeZone) : text
}
