import type { ColumnEvidence } from '../cells/column-reading.ts'
import type { DetectedType } from './detected-type.ts'

export const warningCodes = [
  'guessed_encoding',
  'title_lines',
  'duplicate_header',
  'empty_header',
  'scientific_numbers',
  'column_count',
  'row_parse_error',
  'no_rows',
  'doubtful_dates',
  'doubtful_numbers',
  'null_words',
] as const

export interface Warning {
  readonly code: (typeof warningCodes)[number]
  readonly message: string
  /** The number of the column from 0. */
  readonly column?: number
  /** A value of the file that shows it. */
  readonly example?: string
}

export const noRows: Warning = { code: 'no_rows', message: 'There are no rows below the names of the columns' }

export function titleWarning(line: number): Warning {
  return {
    code: 'title_lines',
    message: `Line ${line} seems to have the names of the columns: set headerRow to ${line}`,
  }
}

export function headerWarnings(header: readonly string[]): Warning[] {
  return header.flatMap((name, column): Warning[] => {
    if (name === '') return [{ code: 'empty_header', message: 'The column has no name: map it by its number', column }]
    const message = 'An earlier column has the same name: map this one by its number'
    return header.indexOf(name) < column ? [{ code: 'duplicate_header', message, column }] : []
  })
}

export function scientificWarning(column: number): Warning {
  const message = 'Long numbers were shortened, as 7.9E+10: format the column as text and save the file again'
  return { code: 'scientific_numbers', message, column }
}

export function rowWarnings(problems: ReadonlyMap<Warning['code'], number>): Warning[] {
  return [...problems].map(([code, count]) => ({
    code,
    message: `${count} ${count === 1 ? 'row does' : 'rows do'} not ${code === 'column_count' ? 'fit the columns' : 'make sense as text'}, and would be refused`,
  }))
}

/** Numbers are doubtful only where all values look like numbers: ids and versions have points too. */
export function cellWarnings(
  { index, detectedType }: { readonly index: number; readonly detectedType: DetectedType },
  evidence: ColumnEvidence | undefined,
): Warning[] {
  const of = (code: Warning['code'], message: string): Warning => ({ code, message, column: index })
  const found: Warning[] = []
  if (evidence?.hasNullWords === true)
    found.push(of('null_words', 'Cells with NULL or \\N, which databases write for a missing value, count as blank'))
  if (detectedType === 'date' && evidence?.hasDoubtfulDates === true)
    found.push(of('doubtful_dates', 'Day and month of each date could be exchanged: set dateFormat'))
  if (detectedType === 'decimal' && evidence?.hasDoubtfulNumbers === true)
    found.push(of('doubtful_numbers', 'Marks could be decimal marks or divide thousands: set decimalMark'))
  return found
}
