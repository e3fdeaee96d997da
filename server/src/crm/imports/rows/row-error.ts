import type { Issue } from '../../../kernel/schema/index.ts'

export const rowErrorCodes = [
  'required',
  'invalid_format',
  'too_long',
  'invalid_option',
  'reference_not_found',
  'ambiguous_match',
  'already_exists',
  'duplicate_in_file',
  'external_reference_deleted',
  'resource_deleted',
  'deal_party_required',
  'insufficient_scope',
  'row_parse_error',
  'column_count',
] as const
export type RowErrorCode = (typeof rowErrorCodes)[number]

/** What became of the row of an error: it was not applied, or it was applied without the cell. */
export const errorOutcomes = ['failed', 'left_out'] as const

/** Why a row was not applied, or a cell was left out (contract section 10.3). */
export interface RowError {
  /** The physical line of the row, from 1. */
  readonly row: number
  /** The name of the column in the file, and the field to which it is mapped. */
  readonly column: string | null
  readonly field: string | null
  readonly code: RowErrorCode
  readonly message: string
  /** The beginning of the cell's text. */
  readonly value: string | null
  readonly outcome: (typeof errorOutcomes)[number]
}

const valueLength = 200

/** The part of a cell that an error quotes. */
export function quoted(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  return Array.from(text.slice(0, 2 * valueLength))
    .slice(0, valueLength)
    .join('')
    .replaceAll('\0', '')
    .toWellFormed()
}

const lengths = ['maxLength', 'maxItems', 'maximum']
const options = ['enum', 'custom_field', 'select', 'multiselect', 'kind', 'operator', 'reference']

/** The code of a row error for a validation issue. */
export function codeOfIssue({ rule }: Issue): RowErrorCode {
  if (rule === 'required') return 'required'
  if (lengths.includes(rule)) return 'too_long'
  return options.includes(rule) ? 'invalid_option' : 'invalid_format'
}
