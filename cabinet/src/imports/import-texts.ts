import { Failure, sentenceOf } from '../api/index.ts'
import { labelOf } from '../records/labels.ts'
import type { Text, Words } from '../words/index.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { ImportedRows, ImportStep, PreviewField } from './import-job.ts'

export const titleOfEntity: Readonly<Record<ImportedRows, Text>> = {
  contacts: 'Import contacts',
  companies: 'Import companies',
  company_contacts: 'Import contacts of companies',
  deal_contacts: 'Import contacts of deals',
  deal_companies: 'Import companies of deals',
}

export const nameOfStep: Readonly<Record<ImportStep, Text>> = {
  file: 'File',
  columns: 'Columns',
  check: 'Check',
  progress: 'Progress',
  result: 'Result',
}

/** Why a file or an import came to nothing, with what to do. */
const failures: Readonly<Record<string, Text>> = {
  not_a_table: 'This file is no table. Save the table as CSV or as an Excel workbook (XLSX), and choose that file.',
  damaged: 'The file is damaged. Open it, save it anew, and choose it again.',
  protected: 'The file is protected by a password. Save it without one.',
  macros: 'The workbook has macros. Save it as a workbook without macros (XLSX).',
  too_large: 'The file is larger than the server takes. Divide it into several files.',
  payload_too_large: 'The file is larger than the server takes. Divide it into several files.',
  too_many_rows: 'The file has more rows than the server takes. Divide it into several files.',
  too_many_columns: 'The file has more columns than the server takes. Delete those that are not needed.',
  broken_quotes: 'A quotation mark opens a cell, and nothing closes it. Save the table as an Excel workbook instead.',
  unknown_sheet: 'The workbook has no such sheet.',
  no_header: 'The file has no line with the names of the columns. Add one, or choose another line.',
  too_slow: 'The file takes too long to read. Divide it into several files.',
  max_items: 'Too many imports wait for their start. Start or cancel one of them on the page of jobs.',
  quota_exceeded: 'There is no room for the file. Remove files, or ask the operator of the server for more room.',
  file_dropped: 'The file was removed because a person was erased meanwhile. Choose it again.',
  expired: 'It was not started in time. Choose the file again.',
  invalid_token: 'Its user may not import any more.',
  insufficient_scope: 'Its user may not import any more.',
  process_ended: 'The server ended while it worked on the file. Rows that were applied stay.',
  internal_error: 'The server made a mistake. Rows that were applied stay.',
}

/** Why a file was not taken, or an import failed, for people. */
export function importFailureText(
  error: Error | { readonly code: string; readonly message: string },
  words: Words,
): string {
  const [issue] = error instanceof Failure ? error.issues : []
  const code = issue?.rule ?? ('code' in error ? error.code : '')
  const known = typeof code === 'string' ? failures[code] : undefined
  if (known !== undefined) return words.t(known)
  return error instanceof Error ? sentenceOf(error, words) : error.message
}

const rowErrors: Readonly<Record<string, Text>> = {
  required: 'A value is missing',
  invalid_format: 'This is no value of the field',
  too_long: 'Too long',
  invalid_option: 'The field cannot have this value',
  reference_not_found: 'What it names is not there',
  ambiguous_match: 'Several records match',
  already_exists: 'The record is there already',
  duplicate_in_file: 'An earlier row says the same',
  external_reference_deleted: 'The record with this id was deleted',
  resource_deleted: 'The record was deleted',
  deal_party_required: 'A deal needs a contact or a company',
  insufficient_scope: 'Your role does not allow this.',
  row_parse_error: 'The row cannot be read',
  column_count: 'The row has more cells than there are columns',
}

/** What is wrong with a row. */
export function rowErrorText(code: string, { t }: Words): string {
  const known = rowErrors[code]
  return known === undefined ? code : t(known)
}

const warnings: Readonly<Record<string, Text>> = {
  guessed_encoding: 'The encoding is a guess. If letters look wrong, choose another one.',
  title_lines: 'The first lines seem to be a title.',
  duplicate_header: 'Another column has the same name',
  empty_header: 'The column has no name',
  scientific_numbers: 'Long numbers are cut. Format the column as text and save the file anew.',
  column_count: 'Some rows have more cells than there are columns. They would be refused.',
  row_parse_error: 'Some rows cannot be read. They would be refused.',
  no_rows: 'There are no rows below the names of the columns.',
  doubtful_dates: 'Day and month cannot be told apart: choose a date format',
  doubtful_numbers: 'Thousands and decimals cannot be told apart: choose a decimal mark',
  null_words: 'NULL counts as empty',
}

/** What is unusual about a file or a column of it. */
export function warningText(code: string, message: string, { t }: Words): string {
  const known = warnings[code]
  return known === undefined ? message : t(known)
}

const fields: Readonly<Record<string, Text>> = {
  uuid: 'ID',
  fullName: 'Full name',
  ownerEmail: 'E-mail of the owner',
  companyName: 'Name of the company',
  companyUuid: 'ID of the company',
  companyExternalId: 'External ID of the company',
  contactUuid: 'ID of the contact',
  contactExternalId: 'External ID of the contact',
  dealUuid: 'ID of the deal',
  dealExternalId: 'External ID of the deal',
  role: 'Role',
  isPrimary: 'First',
  tags: 'Tags',
  birthDate: 'Birth date',
  country: 'Country code',
  region: 'Region',
  city: 'City',
  postalCode: 'Postal code',
  line1: 'Street',
  line2: 'Second line',
  type: 'Type of the address',
}

const numbered: Readonly<Record<string, Text>> = { phone: 'Phone', email: 'E-mail', website: 'Website' }

/** What a field of imports is called: those of an organization by the name that it gave, the second phone `Phone 2`. */
export function fieldText({ key, label }: PreviewField, { showing, directories }: Workspace): string {
  const { t } = showing.words
  if (key.startsWith('custom.')) return label
  const [, list = '', number = ''] = /^(phone|email|website)(\d)$/u.exec(key) ?? []
  const ofList = numbered[list]
  if (ofList !== undefined) return number === '1' ? t(ofList) : `${t(ofList)} ${number}`
  const own = fields[key.replace(/^address\./u, '')]
  return own === undefined ? labelOf(key, t, directories) : t(own)
}
