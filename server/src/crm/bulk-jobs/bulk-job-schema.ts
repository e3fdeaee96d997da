import {
  actorTypeSchema,
  type BulkAction,
  jobFailureSchema,
  jobTimeSchema,
  limits,
  secondsLeftSchema,
} from '../../kernel/index.ts'
import { countSchema, objectSchema, uuidSchema, wordSchema } from '../../kernel/schema/index.ts'

const statusSchema = wordSchema(
  'BulkJobStatus',
  ['queued', 'running', 'completed', 'completed_with_errors', 'failed', 'canceled'],
  'The last four are final.',
  'queued',
)

export const entityTypeSchema = (kinds: readonly string[]) =>
  wordSchema('BulkEntityType', kinds, 'The kind of the targets.', kinds.at(-1))

export const actionSchema = (names: readonly string[]) =>
  wordSchema('BulkActionName', names, 'update changes fields; move takes deals to a stage.', names[0])

const counters = objectSchema('BulkJobCounters', {
  pending: countSchema('Targets whose turn has not come.'),
  succeeded: countSchema('Targets that were changed.'),
  unchanged: countSchema('Targets that were as asked already.'),
  failed: countSchema('Targets that were refused, each for a reason of its own.'),
  canceled: countSchema('Targets whose turn did not come before the job ended.'),
})

const failure = jobFailureSchema('BulkJobFailure', 'Why the job could not go on; null unless it failed.', {
  examples: ['internal_error', 'invalid_token', 'insufficient_scope'],
})

const target = objectSchema('BulkJobTarget', {
  id: uuidSchema,
  externalId: { type: ['string', 'null'], description: 'Your key for it now.' },
})

const errors = {
  type: 'array',
  maxItems: limits.bulkErrors,
  items: objectSchema('BulkJobError', {
    target: { ...target, description: 'The record that could not be changed.' },
    code: {
      type: 'string',
      description: 'What went wrong, for programs: a code as in the answer to a single request.',
      examples: ['version_conflict', 'validation_error', 'resource_deleted', 'not_found'],
    },
    message: { type: 'string', description: 'The same for people.' },
    details: { type: 'object', additionalProperties: true, description: 'As in the answer to a single request.' },
    occurredAt: { type: 'string', format: 'date-time', description: 'When it was tried.' },
  }),
  description: `Of the latest targets that failed, at most ${limits.bulkErrors}, the latest first.`,
}

/** The filters of the list of jobs: the kinds of records and the names of actions. */
export interface Words {
  readonly kinds: readonly string[]
  readonly names: readonly string[]
}

/** The names of these actions, each once. */
export function bulkJobWords(actions: readonly BulkAction[]): Words {
  return {
    kinds: [...new Set(actions.map(({ resource }) => resource.kind))],
    names: [...new Set(actions.map(({ name }) => name))],
  }
}

const members = ({ kinds, names }: Words) => ({
  id: uuidSchema,
  entityType: entityTypeSchema(kinds),
  action: actionSchema(names),
  changes: {
    type: 'object',
    additionalProperties: true,
    description: 'As they were asked for, without the values that the token has no scope to read.',
  },
  status: statusSchema,
  total: { type: 'integer', minimum: 1, description: 'Number of targets: the sum of the counters.' },
  counters: { ...counters, description: 'How far it has come.' },
  applicationId: { ...uuidSchema, description: 'The application that asked for it.' },
  author: { ...actorTypeSchema, description: 'Who asked for it.' },
  createdAt: { type: 'string', format: 'date-time' },
  startedAt: jobTimeSchema('When the first target had its turn.'),
  finishedAt: jobTimeSchema('When the job came to a final status.'),
  estimatedSecondsLeft: secondsLeftSchema('targets are done'),
  failure,
})

/** JSON Schema of a job in a list. */
export const jobSchema = (words: Words) => objectSchema('BulkJob', members(words))

/** JSON Schema of a job with its errors. */
export const jobWithErrorsSchema = (words: Words) => objectSchema('BulkJobWithErrors', { ...members(words), errors })

/** JSON Schema of the answer to a new job. */
export const bulkJobReceiptSchema = objectSchema('BulkJobReceipt', { id: uuidSchema, status: statusSchema })
