import type { DataTable, EncodingGuess } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/limits/index.ts'
import { ColumnEvidence, type ColumnReading } from '../cells/column-reading.ts'
import type { DateFormat } from '../cells/date-order.ts'
import type { DecimalMark } from '../cells/decimal-mark.ts'
import { isNullWord } from '../cells/null-words.ts'
import type { EntityType } from '../fields/entity-types.ts'
import { targetOf } from '../fields/header-patterns.ts'
import { readHeader } from '../fields/read-header.ts'
import { type DetectedType, detectType, isScientific } from './detected-type.ts'
import { DistinctNames } from './distinct-names.ts'
import { Example } from './example.ts'
import { outlinedRows, outlineOf, suggestHeaderRow } from './suggest-header-row.ts'
import {
  cellWarnings,
  headerWarnings,
  noRows,
  rowWarnings,
  scientificWarning,
  titleWarning,
  type Warning,
} from './warnings.ts'

/** What a preview reports about a file before anything is applied. */
export interface Survey {
  readonly columns: readonly SurveyedColumn[]
  /** Rows with at least one value, below the header. */
  readonly rowCount: number
  readonly warnings: readonly Warning[]
  /** The line that seems to have the names of the columns; null if that is the one which was read as such. */
  readonly suggestedHeaderRow: number | null
  /** How dates and numbers of each column are written. */
  readonly readings: readonly ColumnReading[]
}

export interface SurveyedColumn {
  readonly index: number
  readonly name: string
  readonly samples: readonly string[]
  readonly detectedType: DetectedType
  /** The order of the dates in the column; null without dates, or if it is open. */
  readonly suggestedDateFormat: DateFormat | null
  /** The different names in a column whose header is one for names of companies; none for other columns. */
  readonly companies?: readonly string[] | null
}

export interface SurveyOptions {
  readonly type: EntityType
  readonly sampleSize: number
  /** Null if the encoding is certain. */
  readonly guess: EncodingGuess | null
  /** Whether the names of the columns may be below the line that was read as such. */
  readonly mayHaveTitle: boolean
  /** The decimal mark of columns whose cells do not decide; null if these are doubtful. */
  readonly usualMark: DecimalMark | null
}

const typedRows = 200
const sampleLength = 200

/**
 * Reads a table to its end: collects its first values, the number of its rows, its problems, and how dates and numbers are written.
 */
export async function survey({ header, headerLine, rows }: DataTable, options: SurveyOptions): Promise<Survey> {
  const { type, sampleSize, guess, mayHaveTitle, usualMark } = options
  const outlines = [outlineOf(headerLine, header)]
  const example = guess === null ? null : new Example(guess, header)
  const values = header.map((): string[] => [])
  const evidence = header.map(() => new ColumnEvidence(usualMark))
  const scientific = new Set<number>()
  const companies = new Map(companyColumns(header, type).map(index => [index, new DistinctNames()]))
  const problems = new Map<Warning['code'], number>()
  let rowCount = 0
  let room: number = bounds.importSamples.most
  for await (const row of rows) {
    rowCount += 1
    if (row.cells.length > 0 && outlines.length < outlinedRows) outlines.push(outlineOf(row.line, row.cells))
    example?.look(row.cells)
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
      evidence[index]?.add(cell)
    }
    for (const [index, names] of companies) names.add(row.cells[index] ?? '')
  }
  const columns = header.map((name, index) => {
    const filled = (values[index] ?? []).filter(value => value !== '' && !isNullWord(value))
    const samples = filled.slice(0, sampleSize).map(value => value.slice(0, sampleLength).toWellFormed())
    const detectedType = detectType(filled)
    const suggestedDateFormat = detectedType === 'date' ? (evidence[index]?.suggestedDateFormat ?? null) : null
    const named = companies.get(index)?.names ?? null
    return { index, name, samples, detectedType, suggestedDateFormat, companies: named }
  })
  const suggestedHeaderRow = mayHaveTitle ? suggestHeaderRow(outlines) : null
  const warnings = [
    ...(example === null ? [] : [example.warning()]),
    ...(suggestedHeaderRow === null ? [] : [titleWarning(suggestedHeaderRow)]),
    ...headerWarnings(header),
    ...[...scientific].map(scientificWarning),
    ...columns.flatMap(column => cellWarnings(column, evidence[column.index])),
    ...rowWarnings(problems),
    ...(rowCount === 0 ? [noRows] : []),
  ]
  return { columns, rowCount, warnings, suggestedHeaderRow, readings: evidence.map(({ reading }) => reading) }
}

/** How many columns may be the one with the names of companies. */
const mostCompanyColumns = 3

/** The numbers of the columns whose headers say that they name the companies of contacts. */
function companyColumns(header: readonly string[], type: EntityType): number[] {
  if (type !== 'contacts') return []
  const isOne = (name: string) => name === 'companyName' || targetOf(readHeader(name), type)?.target === 'companyName'
  return header.flatMap((name, index) => (isOne(name) ? [index] : [])).slice(0, mostCompanyColumns)
}
