import type { SourceRow } from '../../../kernel/documents/index.ts'
import { isBlank } from '../../../kernel/schema/index.ts'
import { type ColumnReading, unsurveyed } from '../cells/column-reading.ts'
import type { CountryNames } from '../cells/country-code.ts'
import { isNullWord } from '../cells/null-words.ts'
import type { MatchKey } from '../dedup-policy.ts'
import type { ImportField } from '../fields/import-fields.ts'
import { type MatchValue, matchValuesOf } from './match-values.ts'
import { namesOfRow } from './names-of-row.ts'
import { type PlacedValue, placeValues } from './place-values.ts'
import { readValue } from './read-value.ts'
import { quoted, type RowError } from './row-error.ts'

/** A field of the mapping, with its column and its default for blank cells. */
export interface MappedField {
  readonly field: ImportField
  /** The number of the column from 0; null if there is only a default. */
  readonly column: number | null
  readonly columnName: string | null
  /** How dates and numbers of the column are written. */
  readonly reading: ColumnReading
  readonly default: string | null
}

export interface PlanContext {
  readonly mapped: readonly MappedField[]
  readonly matchBy: readonly MatchKey[]
  /** The country of phone numbers without a country code. */
  readonly country: string
  /** The time zone of times without an offset. */
  readonly timeZone: string
  /** Operators by their e-mail addresses in lower case. */
  readonly operators: ReadonlyMap<string, string>
  readonly countries: CountryNames
}

/** The content of a row, before the database is consulted. */
export interface RowPlan {
  readonly line: number
  /** Values by the keys of their fields. Blank cells have none. */
  readonly values: ReadonlyMap<string, unknown>
  /** The values that belong to a request for the record. */
  readonly placed: readonly PlacedValue[]
  readonly matches: readonly MatchValue[]
  /** A row with errors is not applied. */
  readonly errors: readonly RowError[]
  /** Adds an error to this row; for one field, if there is one. */
  fail(error: Pick<RowError, 'code' | 'message'>, key?: string | null): RowError
}

/** Parses the cells of a row by the mapping. The result does not depend on other records. */
export function planRow(row: SourceRow, context: PlanContext): RowPlan {
  const { mapped, matchBy, country } = context
  const used = new Set(mapped.map(({ column }) => column))
  const fail: RowPlan['fail'] = ({ code, message }, key = null) => {
    const about = mapped.find(({ field }) => field.key === key)
    const text = about === undefined ? undefined : textOf(row, about)
    const column = quoted(about?.columnName ?? undefined)
    return { row: row.line, column, field: key, code, message, value: quoted(text) }
  }
  const columnErrors = row.problems
    .filter(({ column }) => column === null || used.has(column))
    .map(({ column, code, message }) => fail({ code, message }, keyOf(mapped, column)))
  const values = new Map<string, unknown>()
  const others: PlacedValue[] = []
  const errors = [...columnErrors]
  for (const each of errors.length > 0 ? [] : mapped) {
    const text = textOf(row, each)
    if (text === '') continue
    const { field } = each
    const reading = cellOf(row, each) === '' ? unsurveyed : each.reading
    const read = valueOf(field, text, reading, context)
    if ('code' in read) errors.push(fail(read, field.key))
    else {
      values.set(field.key, read.value)
      others.push(...placedOthers(field, read.others ?? []))
    }
  }
  const placed = [...placedValues(mapped, values), ...namesOfRow(mapped, values), ...others]
  // The values by which the row finds its record are those that a new record with only these values would have.
  const { input } = placeValues({ id: values.get('uuid') }, placed, 'overwrite', country)
  const matches = matchValuesOf({ ...input, id: values.get('uuid') }, matchBy, country)
  return { line: row.line, values, placed, matches, errors, fail }
}

function keyOf(mapped: readonly MappedField[], column: number | null): string | null {
  return column === null ? null : (mapped.find(each => each.column === column)?.field.key ?? null)
}

function textOf(row: SourceRow, mapped: MappedField): string {
  const cell = cellOf(row, mapped)
  return cell === '' ? (mapped.default ?? '') : cell
}

/** The text in the column; '' if it is blank. */
function cellOf({ cells }: SourceRow, { field, column }: MappedField): string {
  const cell = column === null ? '' : (cells[column] ?? '')
  if (isBlank(cell) || isNullWord(cell)) return ''
  return field.keepsSpace ? cell : cell.trim()
}

function valueOf(
  field: ImportField,
  text: string,
  reading: ColumnReading,
  { operators, timeZone, countries }: PlanContext,
): ReturnType<typeof readValue> {
  if (field.key !== 'ownerEmail') return readValue(field, text, { timeZone, countries, reading })
  const uuid = operators.get(text.toLowerCase())
  return uuid === undefined
    ? { code: 'reference_not_found', message: 'No operator has this e-mail address' }
    : { value: uuid }
}

/** Further values of a cell, which go behind those that the record and other columns have. */
function placedOthers({ key, path }: ImportField, values: readonly unknown[]): PlacedValue[] {
  const behind = (path ?? []).map(step => (typeof step === 'number' ? Number.MAX_SAFE_INTEGER : step))
  return path === null ? [] : values.map(value => ({ key, path: behind, value }))
}

/** The values of the request. The e-mail address of an operator replaces the id where that is missing. */
function placedValues(mapped: readonly MappedField[], values: ReadonlyMap<string, unknown>): PlacedValue[] {
  const placed = mapped.flatMap(({ field: { key, path } }): PlacedValue[] => {
    const isPlaced = path !== null && key !== 'tags' && values.has(key)
    return isPlaced ? [{ key, path, value: values.get(key) }] : []
  })
  const owner = values.get('ownerEmail')
  if (owner === undefined || values.has('ownerUuid')) return placed
  return [...placed, { key: 'ownerEmail', path: ['ownerUuid'], value: owner }]
}

/** The ids of the tags that a row adds. */
export function tagIdsOf({ values }: RowPlan): readonly string[] {
  const ids = values.get('tags')
  return Array.isArray(ids) ? ids.map(String) : []
}

/** A text among the values of a row. */
export function textValue({ values }: Pick<RowPlan, 'values'>, key: string): string | null {
  const value = values.get(key)
  return typeof value === 'string' ? value : null
}
