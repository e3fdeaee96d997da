import type { DataTable, EncodingGuess } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/limits/index.ts'
import { type DetectedType, detectType, isScientific } from './detected-type.ts'
import { Example } from './example.ts'
import { outlinedRows, outlineOf, suggestHeaderRow } from './suggest-header-row.ts'
import { headerWarnings, noRows, rowWarnings, scientificWarning, titleWarning, type Warning } from './warnings.ts'

/** What a preview reports about a file before anything is applied. */
export interface Survey {
  readonly columns: readonly SurveyedColumn[]
  /** Rows with at least one value, below the header. */
  readonly rowCount: number
  readonly warnings: readonly Warning[]
  /** The line that seems to have the names of the columns; null if that is the one which was read as such. */
  readonly suggestedHeaderRow: number | null
}

export interface SurveyedColumn {
  readonly index: number
  readonly name: string
  readonly samples: readonly string[]
  readonly detectedType: DetectedType
}

export interface SurveyOptions {
  readonly sampleSize: number
  /** Null if the encoding is certain. */
  readonly guess: EncodingGuess | null
  /** Whether the names of the columns may be below the line that was read as such. */
  readonly mayHaveTitle: boolean
}

const typedRows = 200
const sampleLength = 200

/** Reads a table to its end: collects its first values, the number of its rows, and its problems. */
export async function survey({ header, headerLine, rows }: DataTable, options: SurveyOptions): Promise<Survey> {
  const { sampleSize, guess, mayHaveTitle } = options
  const outlines = [outlineOf(headerLine, header)]
  const example = guess === null ? null : new Example(guess, header)
  const values = header.map((): string[] => [])
  const scientific = new Set<number>()
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
    }
  }
  const columns = header.map((name, index) => {
    const filled = (values[index] ?? []).filter(value => value !== '')
    const samples = filled.slice(0, sampleSize).map(value => value.slice(0, sampleLength).toWellFormed())
    return { index, name, samples, detectedType: detectType(filled) }
  })
  const suggestedHeaderRow = mayHaveTitle ? suggestHeaderRow(outlines) : null
  const warnings = [
    ...(example === null ? [] : [example.warning()]),
    ...(suggestedHeaderRow === null ? [] : [titleWarning(suggestedHeaderRow)]),
    ...headerWarnings(header),
    ...[...scientific].map(scientificWarning),
    ...rowWarnings(problems),
    ...(rowCount === 0 ? [noRows] : []),
  ]
  return { columns, rowCount, warnings, suggestedHeaderRow }
}
