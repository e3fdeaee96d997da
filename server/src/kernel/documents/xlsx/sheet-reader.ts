import { bounds } from '../../limits/bounds.ts'
import { problemOf, type TextProblem, tooManyColumns } from '../checked-row.ts'
import type { XmlReader } from '../open-xml/parse-xml.ts'
import { type CellProblem, noProblems, type SourceRow } from '../source-row.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { grown, numberText, unescaped } from './cell-text.ts'
import type { NumberForm } from './number-formats.ts'
import type { SharedText } from './shared-texts.ts'

/** What the reader needs besides the cells of the sheet. */
export interface SheetMeanings {
  readonly texts: readonly SharedText[]
  readonly forms: readonly NumberForm[]
  readonly countsFrom1904: boolean
}

interface Cell {
  readonly column: number
  readonly type: string
  readonly form: NumberForm
  hasFormula: boolean
  value: string
}

const plain: NumberForm = { kind: 'plain' }
const latestLine = 1_048_576
const tooLong: CellProblem = {
  column: null,
  code: 'too_long',
  message: `A row has at most ${bounds.importRow.most.toLocaleString('en')} characters`,
}

/** Builds rows from the XML of a sheet. Formulas are never computed: a cell has the value that was saved with it. */
export class SheetReader implements XmlReader {
  readonly #meanings: SheetMeanings
  #rows: SourceRow[] = []
  #line = 0
  #cells: string[] = []
  #problems: CellProblem[] = []
  /** How many characters the row has. */
  #length = 0
  /** The column of a cell without an address: the one after the previous cell. */
  #next = 0
  #cell: Cell | null = null
  #isValue = false

  constructor(meanings: SheetMeanings) {
    this.#meanings = meanings
  }

  /** The rows read since the last call. */
  take(): SourceRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.#beginRow(attributes.r)
    else if (name === 'c') this.#cell = this.#cellOf(attributes)
    else if (name === 'f' && this.#cell !== null) this.#cell.hasFormula = true
    this.#isValue = this.#cell !== null && (name === 'v' || name === 't')
  }

  close(name: string): void {
    this.#isValue = false
    if (name === 'c') this.#endCell()
    else if (name === 'row') this.#endRow()
  }

  text(text: string): void {
    if (this.#isValue && this.#cell !== null) this.#cell.value = grown(this.#cell.value, text)
  }

  #beginRow(said: string | undefined): void {
    const line = said === undefined ? this.#line + 1 : Number(said)
    if (!Number.isInteger(line) || line <= this.#line || line > latestLine)
      throw new UnreadableFile('damaged', 'The workbook is damaged: the rows of the sheet are not in order')
    this.#line = line
    this.#cells = []
    this.#problems = []
    this.#length = 0
    this.#next = 0
  }

  #endRow(): void {
    const [line, problems] = [this.#line, this.#problems]
    if (this.#length > bounds.importRow.most) this.#rows.push({ line, cells: [], problems: [tooLong] })
    else this.#rows.push({ line, cells: this.#cells, problems: problems.length === 0 ? noProblems : problems })
    this.#cells = []
  }

  #cellOf({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): Cell {
    const column = r === undefined ? this.#next : columnOf(r)
    if (column === null || column < this.#cells.length)
      throw new UnreadableFile('damaged', 'The workbook is damaged: the cells of a row are not in order')
    this.#next = column + 1
    return { column, type: t, form: this.#meanings.forms[Number(s)] ?? plain, hasFormula: false, value: '' }
  }

  #endCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null) return
    const shared = cell.type === 's' && cell.value !== '' ? this.#meanings.texts[Number(cell.value)] : undefined
    const text = shared === undefined ? this.#textOf(cell) : shared.text
    // An empty cell that only has a format does not lengthen the row.
    if (text === '') return
    const { column } = cell
    if (column >= bounds.importColumns.most) throw tooManyColumns()
    const problem = shared === undefined ? problemIn(cell, text) : shared.problem
    if (problem !== null) this.#problems.push({ column, ...problem })
    // The texts of a row that is too long are not kept.
    this.#length += text?.length ?? 0
    if (this.#length > bounds.importRow.most) return
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells.push(text ?? '')
  }

  /** The text of a cell; null if it has none. */
  #textOf(cell: Cell): string | null {
    const { type, value, form } = cell
    if (value === '') return cell.hasFormula && type !== 'str' ? null : ''
    if (type === 'inlineStr' || type === 'str') return unescaped(value)
    if (type === 'b') return value === '1' ? 'true' : 'false'
    if (type === 'd') return value
    return type === 'n' ? numberText(value, form, this.#meanings.countsFrom1904) : null
  }
}

function problemIn(cell: Cell, text: string | null): TextProblem | null {
  return text === null ? { code: 'invalid_format', message: messageOf(cell) } : problemOf(text)
}

function messageOf({ hasFormula, type, value }: Cell): string {
  if (type === 'e') return 'The cell shows an error instead of a value'
  if (hasFormula && value === '')
    return 'The formula was saved without a value: open the file, save it and upload it again'
  return 'The cell has no value that its type allows'
}

/** The number of the column of an address such as `AB12`, from 0. */
function columnOf(address: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d+$)/u.exec(address)?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
