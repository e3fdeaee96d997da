import type { ColumnReading } from '../cells/column-reading.ts'
import type { CountryNames } from '../cells/country-code.ts'
import type { MatchKey } from '../dedup-policy.ts'
import type { ImportField } from '../fields/import-fields.ts'
import type { StartOptions } from '../start-options.ts'
import type { MatchValue } from './match-values.ts'
import type { PlacedRequest, PlacedValue } from './place-values.ts'
import type { RowError } from './row-error.ts'

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
  /** The request for a new record with all these values. */
  readonly request: PlacedRequest
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
