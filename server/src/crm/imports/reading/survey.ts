import type { DataTable } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/limits/index.ts'
import { type DetectedType, detectType, isScientific } from './detected-type.ts'

/** What a preview reports about a file before anything is applied. */
export interface Survey {
  readonly columns: readonly SurveyedColumn[]
  /** Rows with at least one value, below the header. */
  readonly rowCount: number
  readonly warnings: readonly Warning[]
}

export interface SurveyedColumn {
  readonly index: number
  readonly name: string
  readonly samples: readonly string[]
  readonly detectedType: DetectedType
}

export const warningCodes = [
  'duplicate_header',
  'empty_header',
  'scientific_numbers',
  'column_count',
  'row_parse_error',
  'no_rows',
] as const

export interface Warning {
  readonly code: (typeof warningCodes)[number]
  readonly message: string
  /** The number of the column from 0. */
  readonly column?: number
}

const typedRows = 200
const sampleLength = 200

/** Reads a table to its end: collects its first values, the number of its rows, and its problems. */
export async function survey({ header, rows }: DataTable, sampleSize: number): Promise<Survey> {
  const values = header.map((): string[] => [])
  const scientific = new Set<number>()
  const problems = new Map<Warning['code'], number>()
  let rowCount = 0
  let room: number = bounds.importSamples.most
  for await (const row of rows) {
    rowCount += 1
    const code = row.problems[0]?.code
    if (code !== undefined) {
      const warning = code === 'column_count' ? code : 'row_parse_error'
      problems.set(warning, (problems.get(warning) ?? 0) + 1)
    }
    if (code === 'column_count' || row.problems.some(({ column }) => column === null)) continue
    for (const [index, cell] of row.cells.entries()) {
      if (rowCount <= typedRows && cell.length <= room) values[index]?.push(cell.trim())
      if (rowCount <= typedRows) room -= Math.min(room, cell.length)
      if (cell.length < 40 && isScientific(cell)) scientific.add(index)
    }
  }
  const columns = header.map((name, index) => {
    const filled = (values[index] ?? []).filter(value => value !== '')
    const samples = filled.slice(0, sampleSize).map(value => value.slice(0, sampleLength).toWellFormed())
    return { index, name, samples, detectedType: detectType(filled) }
  })
  const warnings = [...headerWarnings(header), ...[...scientific].map(scientificWarning), ...rowWarnings(problems)]
  return { columns, rowCount, warnings: rowCount === 0 ? [...warnings, noRows] : warnings }
}

const noRows: Warning = { code: 'no_rows', message: 'There are no rows below the names of the columns' }

function headerWarnings(header: readonly string[]): Warning[] {
  return header.flatMap((name, column): Warning[] => {
    if (name === '') return [{ code: 'empty_header', message: 'The column has no name: map it by its number', column }]
    const message = 'An earlier column has the same name: map this one by its number'
    return header.indexOf(name) < column ? [{ code: 'duplicate_header', message, column }] : []
  })
}

function scientificWarning(column: number): Warning {
  const message = 'Long numbers were shortened, as 7.9E+10: format the column as text and save the file again'
  return { code: 'scientific_numbers', message, column }
}

function rowWarnings(problems: ReadonlyMap<Warning['code'], number>): Warning[] {
  return [...problems].map(([code, count]) => ({
    code,
    message: `${count} ${count === 1 ? 'row does' : 'rows do'} not ${code === 'column_count' ? 'fit the columns' : 'make sense as text'}, and would be refused`,
  }))
}
