import type { SourceRow } from '../../../kernel/documents/index.ts'
import type { ColumnReading } from '../cells/column-reading.ts'
import type { CountryNames } from '../cells/country-code.ts'
import type { MatchKey } from '../dedup-policy.ts'
import type { ImportField } from '../fields/import-fields.ts'
import type { StartOptions } from '../start-options.ts'
import { type MatchValue, matchValuesOf } from './match-values.ts'
import { namesOfRow } from './names-of-row.ts'
import { type PlacedValue, placeValues } from './place-values.ts'
import { readCells, textOf } from './read-cells.ts'
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
  readonly options: StartOptions
  /** The fields whose cells are never left out. */
  readonly keys: ReadonlySet<string>
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
  /** The cells without which the row is applied. */
  readonly leftOut: readonly RowError[]
  /** Whether the row is applied without a cell for which it would have this error. */
  leavesOut(error: Pick<RowError, 'code' | 'field'>): boolean
  /** Adds an error to this row; for one field, if there is one. */
  fail(error: Pick<RowError, 'code' | 'message'>, key?: string | null): RowError
}

/** Parses the cells of a row by the mapping. The result does not depend on other records. */
export function planRow(row: SourceRow, context: PlanContext): RowPlan {
  const { mapped, matchBy, country, options, keys } = context
  const fail: RowPlan['fail'] = ({ code, message }, key = null) => {
    const about = mapped.find(({ field }) => field.key === key)
    const text = about === undefined ? undefined : textOf(row, about)
    const column = quoted(about?.columnName ?? undefined)
    return { row: row.line, column, field: key, code, message, value: quoted(text), outcome: 'failed' }
  }
  const leavesOut: RowPlan['leavesOut'] = ({ code, field }) => {
    if (field === 'tags' && code === 'invalid_option') return options.missingTag === 'leave_out'
    return options.onInvalidCell === 'leave_out' && field !== null && !keys.has(field)
  }
  const { values, others, errors, leftOut } = readCells(row, context, { fail, leavesOut })
  const placed = [...placedValues(mapped, values), ...namesOfRow(mapped, values), ...others]
  // The values by which the row finds its record are those that a new record with only these values would have.
  const { input } = placeValues({ id: values.get('uuid') }, placed, 'overwrite', country)
  const matches = matchValuesOf({ ...input, id: values.get('uuid') }, matchBy, country)
  return { line: row.line, values, placed, matches, errors, leftOut, fail, leavesOut }
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
