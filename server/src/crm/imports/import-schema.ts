import { bounds, jobFailureSchema, jobTimeSchema, secondsLeftSchema } from '../../kernel/index.ts'
import { objectSchema, optionalUuidSchema, uuidSchema } from '../../kernel/schema/index.ts'
import { conflictRules, matchKeys, strategies } from './dedup-policy.ts'
import { entityTypes } from './fields/entity-types.ts'
import { statuses } from './import.ts'
import { errorOutcomes, rowErrorCodes } from './rows/row-error.ts'
import { optionSchemas } from './start-options.ts'
import { undoSchema } from './undo/shown-undo.ts'

const count = (description: string) => ({ type: 'integer', minimum: 0, description, example: 0 })
const optionalText = (description: string) => ({ type: ['string', 'null'], description })

const entityTypeSchema = {
  component: 'ImportEntityType',
  type: 'string',
  enum: entityTypes,
  description: 'What the rows of the file are about.',
  example: 'contacts',
}

const rowError = {
  component: 'ImportRowError',
  type: 'object',
  required: ['row', 'column', 'field', 'code', 'message', 'value', 'outcome'],
  properties: {
    row: { type: 'integer', minimum: 1, description: 'The line of the file, from 1; the names of the columns count.' },
    column: optionalText('The name of the column; null for the whole row.'),
    field: optionalText('The field that the column is mapped to.'),
    code: {
      component: 'ImportRowErrorCode',
      type: 'string',
      enum: rowErrorCodes,
      description: 'What is wrong, for programs.',
      example: 'invalid_format',
    },
    message: { type: 'string', description: 'The same for people.' },
    value: optionalText('The beginning of what stands in the cell; null where the token may not read it.'),
    outcome: {
      component: 'ImportErrorOutcome',
      type: 'string',
      enum: errorOutcomes,
      description: 'What became of the row: it has failed, or was applied without the cell.',
    },
  },
}

const counters = objectSchema('ImportCounters', {
  total: count('Rows of the file that have something in them.'),
  created: count('Rows that made a record or a link.'),
  updated: count('Rows that changed one.'),
  unchanged: count('Rows that say what is there already.'),
  skipped: count('Rows that the policy passes over.'),
  failed: count('Rows that were refused. They change nothing.'),
  pending: count('Rows that were not handled yet.'),
})

export const columnOfField = 'The name of the column, a text, or its number from 0.'

export const mappingSchema = {
  component: 'ImportMapping',
  type: 'object',
  additionalProperties: {
    type: ['string', 'integer'],
    // The schema declares no type: generators of typed clients have none for a value that is a text or a number.
    documented: { type: undefined, description: columnOfField },
  },
  description: 'The column of each field: its name in the file, or its number from 0.',
  example: { firstName: 'First Name', email1: 2 },
}

export const defaultsSchema = {
  component: 'ImportDefaults',
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1, maxLength: 10_000 },
  description: 'Values for fields without a column, and for blank cells.',
  example: { source: 'Fair' },
}

const policyMembers = {
  strategy: {
    component: 'ImportStrategy',
    type: 'string',
    enum: strategies,
    description: 'What becomes of a row for which a record is found, and of one for which there is none.',
    example: 'create_or_update',
  },
  matchBy: {
    type: 'array',
    minItems: 1,
    maxItems: matchKeys.length,
    uniqueItems: true,
    items: { component: 'ImportMatchKey', type: 'string', enum: matchKeys },
    description: 'By what rows find records: the first by which one is found decides.',
    example: ['externalId', 'email'],
  },
  onConflict: {
    component: 'ImportConflictRule',
    type: 'string',
    enum: conflictRules,
    description: 'What becomes of a value that the record has already. A blank cell never takes one away.',
    example: 'fill_empty',
  },
}

export const dedupPolicySchema = {
  component: 'ImportDedupPolicy',
  type: 'object',
  required: ['strategy'],
  properties: policyMembers,
  additionalProperties: false,
}

/** JSON Schema of an import (contract section 10.3). */
export const importSchema = objectSchema(
  'Import',
  {
    id: uuidSchema,
    entityType: entityTypeSchema,
    status: {
      component: 'ImportStatus',
      type: 'string',
      enum: statuses,
      description: 'How far it has come.',
      example: 'completed',
    },
    fileName: { type: 'string', description: 'What the file was called when it was sent.', example: 'contacts.csv' },
    sizeBytes: { type: 'integer', minimum: 1, description: 'How many bytes the file has.' },
    sha256: { type: 'string', description: 'SHA-256 of the file, in hexadecimal.' },
    rowCount: { type: ['integer', 'null'], minimum: 0, description: 'Rows of the file; null until they are counted.' },
    mapping: { ...mappingSchema, component: 'ImportedMapping', type: ['object', 'null'] },
    dedupPolicy: {
      ...dedupPolicySchema,
      component: 'ImportedDedupPolicy',
      type: ['object', 'null'],
      description: 'How rows find records, and what becomes of those; null until the import is started.',
    },
    defaults: { ...defaultsSchema, component: 'ImportedDefaults', type: ['object', 'null'] },
    dryRun: { type: 'boolean', description: 'Whether nothing is written: counters and errors tell what would be.' },
    ...optionSchemas,
    counters: { ...counters, description: 'What became of the rows.' },
    createdCompanies: count('Companies that were made for rows of contacts that name them.'),
    errors: {
      type: 'array',
      maxItems: bounds.importErrors.most,
      items: rowError,
      description: 'The latest errors, and cells that were left out; the latest last.',
    },
    errorsFileUrl: {
      type: 'string',
      description:
        'A link to a CSV file with all errors, good for a day while the token is valid; absent when there is none.',
    },
    rowsFileUrl: {
      type: 'string',
      description:
        'A link to a CSV file with what became of each row, good for a day; absent while the import is not finished, and where no row was handled.',
    },
    failure: jobFailureSchema('ImportFailure', 'Why the import failed as a whole.', { example: 'expired' }),
    applicationId: { ...optionalUuidSchema, description: 'The application that sent the file; null: a user did.' },
    authorType: {
      component: 'ImportAuthorType',
      type: 'string',
      enum: ['application', 'user'],
      description: 'Who sent the file.',
    },
    authorUuid: { ...optionalUuidSchema, description: 'The user who sent the file; null: an application did.' },
    createdAt: { type: 'string', format: 'date-time' },
    startedAt: jobTimeSchema('When the first rows were handled.'),
    finishedAt: jobTimeSchema('When the last rows were handled, or the import ended early.'),
    estimatedSecondsLeft: secondsLeftSchema('rows are handled'),
    undoableUntil: jobTimeSchema('Until when the import can be undone.'),
    undo: undoSchema,
  },
  ['errorsFileUrl', 'rowsFileUrl', 'authorUuid'],
)
