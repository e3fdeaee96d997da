import { type BulkAction, type Caller, mayRead, readJobRecords, wordParameter } from '../../kernel/index.ts'
import { isObject, type JsonObject, type Projection } from '../../kernel/schema/index.ts'
import { bulkJobRecord, shownBulkJob } from './bulk-job.ts'
import { bulkJobWords, jobSchema, jobWithErrorsSchema } from './bulk-job-schema.ts'

/** `GET /bulk-jobs` and `GET /bulk-jobs/:id`: the jobs of the application and their progress (contract section 10.1). */
export function readBulkJobs(actions: readonly BulkAction[]) {
  const words = bulkJobWords(actions)
  return readJobRecords({
    record: bulkJobRecord,
    group: 'bulkJobs',
    path: '/api/v1/crm/bulk-jobs',
    article: 'a',
    name: 'bulk job',
    scope: 'crm_bulk_manage',
    listed: 'The newest first. Errors of targets are shown with a single job.',
    schema: jobSchema(words),
    detailSchema: jobWithErrorsSchema(words),
    filter: {
      member: 'entityType',
      parameter: wordParameter('BulkEntityType', words.kinds, 'Jobs for one kind of records'),
    },
    project: projectBulkJobs(actions),
    show: (row, _, { clock }) => shownBulkJob(row, clock.now()),
    showDetail: ({ errors }) => ({ errors: Array.isArray(errors) ? errors.filter(isObject).map(shownError) : [] }),
  })
}

function shownError({ recordId, externalId, code, message, details, occurredAt }: JsonObject): JsonObject {
  const target = { id: recordId, externalId }
  // Inside JSON, PostgreSQL writes timestamps in a format of its own.
  return { target, code, message, details, occurredAt: new Date(String(occurredAt)).toISOString() }
}

/**
 * Jobs as a caller may see them: values that the token may not read are removed from `changes` (contract section 5). Errors contain no
 * values.
 */
function projectBulkJobs(actions: readonly BulkAction[]) {
  const guards = actions.flatMap(action => guardsOf(action))
  return (data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } => {
    const hidden = guards.filter(({ projection }) => !mayRead(projection, caller.scopes))
    if (hidden.length === 0) return { data, redacted: [] }
    const shown = (job: unknown) => (isObject(job) && isObject(job.changes) ? withoutHidden(job, job.changes) : job)
    const withoutHidden = (job: object, changes: object) => ({
      ...job,
      changes: Object.fromEntries(
        Object.entries(changes).filter(([name]) => !hidden.some(guard => guard.name === name && guard.isOf(job))),
      ),
    })
    const redacted = [...new Set(hidden.map(({ projection }) => projection))]
    return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted }
  }
}

interface Guard {
  readonly name: string
  readonly projection: Projection
  isOf(job: object): boolean
}

/** The protected members that the changes of an action can have. */
function guardsOf({ resource, name: action, members }: BulkAction): Guard[] {
  const isOf = (job: object) => isObject(job) && job.entityType === resource.kind && job.action === action
  return Object.keys(members).flatMap(name => {
    const projection = resource.fields[name]?.projection
    return projection === undefined ? [] : [{ name, projection, isOf }]
  })
}
