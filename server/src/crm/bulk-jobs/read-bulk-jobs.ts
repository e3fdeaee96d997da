import { type BulkAction, readJobRecords, wordParameter } from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { bulkJobRecord, shownBulkJob } from './bulk-job.ts'
import { jobSchema, jobWithErrorsSchema, wordsOf } from './bulk-job-schema.ts'
import { projectBulkJobs } from './project-bulk-jobs.ts'

/** `GET /bulk-jobs` and `GET /bulk-jobs/:id`: how far the jobs of the application have come (contract section 10.1). */
export function readBulkJobs(actions: readonly BulkAction[]) {
  const words = wordsOf(actions)
  return readJobRecords({
    record: bulkJobRecord,
    group: 'bulkJobs',
    path: '/bulk-jobs',
    name: 'bulk job',
    scope: 'crm_bulk_manage',
    texts: {
      list: 'List the bulk jobs of the application',
      listed: 'The newest first. Errors of targets are shown with a single job.',
      get: 'Read how far a bulk job has come',
    },
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
  // Inside JSON the database writes a time in a form of its own.
  return { target, code, message, details, occurredAt: new Date(String(occurredAt)).toISOString() }
}
