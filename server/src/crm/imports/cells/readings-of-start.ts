import type { ImportField } from '../fields/import-fields.ts'
import type { KnownForm, MappedColumn } from '../import.ts'
import type { StartOptions } from '../start-options.ts'
import { type ColumnReading, unsurveyed } from './column-reading.ts'
import { sameOrder } from './date-order.ts'

interface StartedFile {
  readonly fields: readonly ImportField[]
  readonly form: KnownForm
  readonly options: StartOptions
}

/** The mapped columns, with the reading of those whose fields are dates or numbers. */
export function withReadings(
  columns: Readonly<Record<string, MappedColumn>>,
  { fields, form, options }: StartedFile,
): Readonly<Record<string, MappedColumn>> {
  const needing = new Set(fields.filter(({ type }) => readTypes.some(each => each === type)).map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(columns).map(([key, column]) => {
      const surveyed = form.readings?.[column.index] ?? unsurveyed
      return [key, needing.has(key) ? { ...column, reading: readingWith(surveyed, options) } : column]
    }),
  )
}

const readTypes = ['date', 'datetime', 'integer', 'decimal'] as const

function readingWith({ orders, mark }: ColumnReading, { dateFormat, decimalMark }: StartOptions): ColumnReading {
  return {
    orders: dateFormat === 'auto' ? orders : sameOrder(dateFormat),
    mark: decimalMark === 'auto' ? mark : decimalMark,
  }
}
