import { bounds, jobFailureSchema, jobTimeSchema, secondsLeftSchema } from '../../kernel/index.ts'
import {
  countSchema,
  objectSchema,
  optionalTextSchema,
  optionalUuidSchema,
  textSchema,
  uuidSchema,
  wordSchema,
} from '../../kernel/schema/index.ts'
import { conflictRules, matchKeys, strategies } from './dedup-policy.ts'
import { entityTypes } from './fields/entity-types.ts'
import { statuses } from './import.ts'
import { errorOutcomes, rowErrorCodes } from './rows/row-error.ts'
import { optionSchemas } from './start-options.ts'
import { undoSchema } from './undo/shown-undo.ts'

const entityTypeSchema = wordSchema('ImportEntityType', entityTypes, 'What the rows of the file are about.', 'contacts')

const rowError = objectSchema('ImportRowError', {
  row: { type: 'integer', minimum: 1, description: 'The line of the file, from 1; the names of the columns count.' },
  column: optionalTextSchema('The name of the column; null for the whole row.'),
  field: optionalTextSchema('The field that the column is mapped to.'),
  code: wordSchema('ImportRowErrorCode', rowErrorCodes, 'What is wrong, for programs.', 'invalid_format'),
  message: { type: 'string', description: 'The same for people.' },
  value: optionalTextSchema('The beginning of what stands in the cell; null where the token may not read it.'),
  outcome: wordSchema(
    'ImportErrorOutcome',
    errorOutcomes,
    'What became of the row: it has failed, or was applied without the cell.',
  ),
})

const counters = objectSchema('ImportCounters', {
  total: countSchema('Rows of the file that have something in them.', 0),
  created: countSchema('Rows that made a record or a link.', 0),
  updated: countSchema('Rows that changed one.', 0),
  unchanged: countSchema('Rows that say what is there already.', 0),
  skipped: countSchema('Rows that the policy passes over.', 0),
  failed: countSchema('Rows that were refused. They change nothing.', 0),
  pending: countSchema('Rows that were not handled yet.', 0),
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
  strategy: wordSchema(
    'ImportStrategy',
    strategies,
    'What becomes of a row for which a record is found, and of one for which there is none.',
    'create_or_update',
  ),
  matchBy: {
    type: 'array',
    minItems: 1,
    maxItems: matchKeys.length,
    uniqueItems: true,
    items: { component: 'ImportMatchKey', type: 'string', enum: matchKeys },
    description: 'By what rows find records: the first by which one is found decides.',
    example: ['externalId', 'email'],
  },
  onConflict: wordSchema(
    'ImportConflictRule',
    conflictRules,
    'What becomes of a value that the record has already. A blank cell never takes one away.',
    'fill_empty',
  ),
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
    status: wordSchema('ImportStatus', statuses, 'How far it has come.', 'completed'),
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
    createdCompanies: countSchema('Companies that were made for rows of contacts that name them.', 0),
    errors: {
      type: 'array',
      maxItems: bounds.importErrors.most,
      items: rowError,
      description: 'The latest errors, and cells that were left out; the latest last.',
    },
    errorsFileUrl: textSchema(
      'A link to a CSV file with all errors, good for a day while the token is valid; absent when there is none.',
    ),
    rowsFileUrl: textSchema(
      'A link to a CSV file with what became of each row, good for a day; absent while the import is not finished, and where no row was handled.',
    ),
    failure: jobFailureSchema('ImportFailure', 'Why the import failed as a whole.', { example: 'expired' }),
    applicationId: { ...optionalUuidSchema, description: 'The application that sent the file; null: a user did.' },
    authorType: wordSchema('ImportAuthorType', ['application', 'user'], 'Who sent the file.'),
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
