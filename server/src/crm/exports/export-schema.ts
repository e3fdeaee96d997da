import type { FiledRows } from '../../kernel/columns/index.ts'
import { jobFailureSchema, jobTimeSchema, limits, secondsLeftSchema } from '../../kernel/index.ts'
import { listSchema, objectSchema, textSchema, uuidSchema, wordSchema } from '../../kernel/schema/index.ts'
import { filtersSchema } from './filters.ts'
import { type ExportType, exportTypes } from './types.ts'

const optionalCount = (description: string) => ({ type: ['integer', 'null'], minimum: 0, description })

export const typeSchema = wordSchema(
  'ExportType',
  exportTypes,
  'What is exported: records, or links between them.',
  'contacts',
)

const statusSchema = wordSchema(
  'ExportStatus',
  ['queued', 'running', 'completed', 'expired', 'failed'],
  'A completed export expires when its file is removed; expired and failed are final.',
  'queued',
)

const counters = objectSchema('ExportCounters', {
  written: { type: 'integer', minimum: 0, description: 'Rows that are written.' },
  pending: optionalCount('Rows that are to come; null until they are counted.'),
})

const failure = jobFailureSchema('ExportFailure', 'Why there is no file; null unless the export failed.', {
  examples: [
    'internal_error',
    'too_large',
    'quota_exceeded',
    'persons_erased',
    'canceled',
    'invalid_token',
    'insufficient_scope',
  ],
})

/** JSON Schema of an export. */
export const exportSchema = (types: Readonly<Record<ExportType, FiledRows>>) =>
  objectSchema(
    'Export',
    {
      id: uuidSchema,
      type: typeSchema,
      status: statusSchema,
      csvSafe: { type: 'boolean', description: 'Whether an apostrophe stands before texts that look like formulas.' },
      filters: filtersSchema(types),
      counters: { ...counters, description: 'How far it has come.' },
      rowCount: optionalCount('Rows of the file without its header; null until it is completed.'),
      fileName: { type: 'string', description: 'What the file is called.', example: 'contacts-2026-03-31.csv' },
      sizeBytes: optionalCount('Size of the file; null until it is completed.'),
      sha256: { type: ['string', 'null'], description: 'SHA-256 of the file, in hexadecimal.' },
      redacted: listSchema(
        { type: 'string' },
        'What the token had no scope to read when it asked: the file has no columns for it.',
        ['amounts'],
      ),
      createdAt: { type: 'string', format: 'date-time' },
      startedAt: jobTimeSchema('When the writing of the file began. The file has the records as they were then.'),
      finishedAt: jobTimeSchema('When the export was completed, or failed.'),
      expiresAt: jobTimeSchema('When the file is removed; null until it is completed.'),
      estimatedSecondsLeft: secondsLeftSchema('rows are written'),
      failure,
      downloadUrl: textSchema(
        'A link to the file, which needs no token and ends with that of the request; new with each answer. Present while the export ' +
          'is completed, and the token may read all that the file holds.',
      ),
      downloadUrlExpiresInSeconds: {
        type: 'integer',
        description: 'How long the link is good: a day, or what is left of the file or token if that is less.',
        example: limits.exportLinkSeconds,
      },
    },
    ['downloadUrl', 'downloadUrlExpiresInSeconds'],
  )

/** JSON Schema of the answer to a new export. */
export const exportReceiptSchema = objectSchema('ExportReceipt', { id: uuidSchema, status: statusSchema })
