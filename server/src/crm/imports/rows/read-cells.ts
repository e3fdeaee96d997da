import type { SourceRow } from '../../../kernel/documents/index.ts'
import { isBlank, joinTexts, splitTexts } from '../../../kernel/schema/index.ts'
import { type ColumnReading, unsurveyed } from '../cells/column-reading.ts'
import { isNullWord } from '../cells/null-words.ts'
import type { ImportField } from '../fields/import-fields.ts'
import type { PlacedValue } from './place-values.ts'
import { type ReadValue, readValue } from './read-value.ts'
import type { RowError } from './row-error.ts'
import type { MappedField, PlanContext, RowPlan } from './row-plan.ts'

/** The values of a row by the keys of their fields; why it is not applied; and the cells without which it is. */
interface CellsOfRow extends Pick<RowPlan, 'errors' | 'leftOut'> {
  readonly values: Map<string, unknown>
  /** Further values of cells that have several. */
  readonly others: readonly PlacedValue[]
}

/** Reads the cells of a row that fields are mapped to. A row that cannot be applied because of how it was read has no values. */
export function readCells(
  row: SourceRow,
  context: PlanContext,
  { fail, leavesOut }: Pick<RowPlan, 'fail' | 'leavesOut'>,
): CellsOfRow {
  const { mapped } = context
  const errors: RowError[] = []
  const leftOut: RowError[] = []
  const unreadable = new Set<number>()
  for (const { column, code, message } of row.problems) {
    const about = mapped.filter(each => column !== null && each.column === column)
    if (column !== null && about.length === 0) continue
    const [first, ...others] = about.map(({ field }) => fail({ code, message }, field.key))
    const all = [first ?? fail({ code, message }), ...others]
    if (column === null || !all.every(leavesOut)) errors.push(...all.slice(0, 1))
    else {
      leftOut.push(...all)
      unreadable.add(column)
    }
  }
  const values = new Map<string, unknown>()
  const others: PlacedValue[] = []
  for (const each of errors.length > 0 ? [] : mapped) {
    const { field, column } = each
    const text = column !== null && unreadable.has(column) ? '' : textOfCell(row, each)
    if (text === '') continue
    const reading = cellOf(row, each) === '' ? unsurveyed : each.reading
    const read = valueOf(each, text, reading, context)
    if ('value' in read) values.set(field.key, read.value)
    if ('others' in read) others.push(...placedOthers(field, read.others ?? []))
    if (!('code' in read)) continue
    const error = fail(read, field.key)
    if (leavesOut(error)) leftOut.push(error)
    else errors.push(error)
  }
  return { values, others, errors, leftOut }
}

/** Further values of a cell, which go behind those that the record and other columns have. */
function placedOthers({ key, path }: ImportField, values: readonly unknown[]): PlacedValue[] {
  const behind = (path ?? []).map(step => (typeof step === 'number' ? Number.MAX_SAFE_INTEGER : step))
  return path === null ? [] : values.map(value => ({ key, path: behind, value }))
}

/** The text of a field in a row: that of its cell, or its default if the cell is blank. */
export function textOfCell(row: SourceRow, mapped: MappedField): string {
  const cell = cellOf(row, mapped)
  return cell === '' ? (mapped.default ?? '') : cell
}

/** The text in the column; '' if it is blank. */
function cellOf({ cells }: SourceRow, { field, column }: MappedField): string {
  const cell = column === null ? '' : (cells[column] ?? '')
  if (isBlank(cell) || isNullWord(cell)) return ''
  return field.keepsSpace ? cell : cell.trim()
}

/** The value of a text, or why it has none; both if a part of it has a value. */
type ValueOfCell = ReadValue | (Pick<RowError, 'code' | 'message'> & { readonly value: unknown })

function valueOf({ field }: MappedField, text: string, reading: ColumnReading, context: PlanContext): ValueOfCell {
  const { operators, timeZone, countries, options } = context
  if (field.key === 'ownerEmail') {
    const uuid = operators.get(text.toLowerCase())
    const message = 'No operator has this e-mail address'
    return uuid === undefined ? { code: 'reference_not_found', message } : { value: uuid }
  }
  const ofCell = { timeZone, countries, reading }
  const read = readValue(field, text, ofCell)
  if (field.key !== 'tags' || options.missingTag === 'refuse' || 'value' in read) return read
  const parts = splitTexts(text).map(part => readValue(field, joinTexts([part]), ofCell))
  return { ...read, value: parts.flatMap(part => ('value' in part ? part.value : [])) }
}
