import type { ImportField } from '../fields/import-fields.ts'
import type { KnownForm, MappedColumn } from '../import.ts'
import { type ColumnReading, unsurveyed } from './column-reading.ts'
import { type DateFormat, sameOrder } from './date-order.ts'
import type { DecimalMark } from './decimal-mark.ts'

/** How a start wants dates and numbers to be read; with auto, each column decides. */
interface WantedReading {
  readonly dateFormat: DateFormat | 'auto'
  readonly decimalMark: DecimalMark | 'auto'
}

interface StartedFile {
  readonly fields: readonly ImportField[]
  readonly form: KnownForm
  readonly options: WantedReading
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

function readingWith({ orders, mark }: ColumnReading, { dateFormat, decimalMark }: WantedReading): ColumnReading {
  return {
    orders: dateFormat === 'auto' ? orders : sameOrder(dateFormat),
    mark: decimalMark === 'auto' ? mark : decimalMark,
  }
}
