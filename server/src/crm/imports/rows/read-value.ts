import { isDate, isDateTime, isUuid } from '../../../kernel/schema/index.ts'
import { type ColumnReading, unsurveyed } from '../cells/column-reading.ts'
import { type CountryNames, countryCode } from '../cells/country-code.ts'
import { type ReadDate, readDate, readDateTime } from '../cells/read-date.ts'
import { type ReadNumber, readDecimal, readInteger } from '../cells/read-number.ts'
import { emailsIn, mostInCell, phonesIn } from '../cells/several-values.ts'
import type { ImportField } from '../fields/import-fields.ts'
import { isScientific } from '../reading/detected-type.ts'
import type { RowErrorCode } from './row-error.ts'

/** The value of a cell, and others that it has besides; or why it has none. */
export type ReadValue = { readonly value: unknown; readonly others?: readonly unknown[] } | CellFault

interface CellFault {
  readonly code: RowErrorCode
  readonly message: string
}

/** What determines the value of a text. */
export interface CellContext {
  /** The time zone of times without an offset. */
  readonly timeZone: string
  readonly countries: CountryNames
  /** How dates and numbers of the column are written. */
  readonly reading: ColumnReading
}

const escaped = /^'(?=[=+\-@\t])/u

/**
 * Converts the text of a cell to the value that a request would have. An apostrophe that prevents spreadsheets from computing a formula is
 * removed; but a text, or the name of an option, may also begin with an apostrophe of its own.
 */
export function readValue(field: ImportField, cell: string, context: CellContext): ReadValue {
  const { key, type } = field
  if (key === 'address.country') return { value: countryCode(withoutEscape(cell), context.countries) ?? cell.trim() }
  if (type === 'text') return { value: field.parse(cell) }
  const isChoice = type === 'choice' || type === 'choices'
  const isKnown = isChoice && field.parse(cell.trim()) !== undefined
  return valueOfType(type, field, isKnown ? cell.trim() : withoutEscape(cell), context)
}

function withoutEscape(cell: string): string {
  return cell.trim().replace(escaped, '')
}

function valueOfType(
  type: Exclude<ImportField['type'], 'text'>,
  field: ImportField,
  text: string,
  { timeZone, reading }: CellContext,
): ReadValue {
  switch (type) {
    case 'phone':
      return isScientific(text) ? shortened : several(phonesIn(text))
    case 'email':
      return several(emailsIn(text))
    case 'url':
      return { value: withScheme(text) }
    case 'uuid':
      return isUuid(text) ? { value: text } : { code: 'invalid_format', message: 'A UUID is expected' }
    case 'date':
      return dated(readDate(text, reading.orders), text)
    case 'datetime':
      return dated(readDateTime(text, reading.orders, timeZone), text)
    case 'decimal':
      return numbered(field, text, readDecimal(text, reading.mark))
    case 'integer':
      return numbered(field, text, readInteger(text, reading.mark))
    case 'choice':
    case 'choices':
      return parsed(field, text, { code: 'invalid_option', message: 'There is no such option' })
    case 'boolean':
      return parsed(field, text, unreadable('yes or no: true, false, yes, no, 1 and 0 are'))
  }
}

/** Whether a field accepts the value of a text that is in no column, as far as the text alone shows. */
export function canHave(field: ImportField, text: string, countries: CountryNames): boolean {
  const read = readValue(field, text, { timeZone: 'UTC', countries, reading: unsurveyed })
  if (!('value' in read)) return false
  if (field.type === 'date') return isDate(String(read.value))
  return field.type !== 'datetime' || isDateTime(String(read.value))
}

function several([value, ...others]: readonly string[]): ReadValue {
  if (others.length < mostInCell) return others.length === 0 ? { value } : { value, others }
  return { code: 'too_long', message: `At most ${mostInCell} values are expected in a cell` }
}

function parsed(field: ImportField, text: string, fault: CellFault): ReadValue {
  const value = field.parse(text)
  return value === undefined ? fault : { value }
}

/** A text that is no date is the value, and is refused later. */
function dated(read: ReadDate, text: string): ReadValue {
  if (read === null) return { value: text }
  if (read === 'unclear') return unclearDate
  return read === 'unlike' ? unlikeDate : { value: read.date }
}

function numbered(field: ImportField, text: string, read: ReadNumber): ReadValue {
  if (read === 'unclear') return unclearNumber
  return parsed(field, read?.number ?? text, unreadable('a whole number'))
}

function unreadable(what: string): CellFault {
  return { code: 'invalid_format', message: `This cannot be read as ${what}` }
}

const invalid = (message: string): CellFault => ({ code: 'invalid_format', message })
const shortened = invalid(
  'The number was shortened by a spreadsheet: format the column as text and save the file again',
)
const unclearDate = invalid('Day and month could be exchanged, and no other cell of the column decides: set dateFormat')
const unlikeDate = invalid('There is no such date in the order of the column: see dateFormat')
const unclearNumber = invalid(
  'The mark could be a decimal mark or divide thousands, and no other cell of the column decides: set decimalMark',
)

/** A host of at least two labels with letters at the end, and what may follow it. */
const withoutScheme = /^(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]*(?::\d{1,5})?(?:[/?#]\S*)?$/u

/** A web address, with `https://` if it has no scheme; any other text unchanged. */
export function withScheme(text: string): string {
  const plain = text.replace(/^\/\//u, '')
  return withoutScheme.test(plain) ? `https://${plain}` : text
}
