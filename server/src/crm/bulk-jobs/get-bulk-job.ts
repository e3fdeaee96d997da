import { type BulkAction, defineOperation, notFound, type Operation } from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { shownBulkJob } from './bulk-job.ts'
import { jobWithErrorsSchema, wordsOf } from './bulk-job-schema.ts'
import { selectBulkJob } from './bulk-jobs.sql.ts'
import { projectBulkJobs } from './project-bulk-jobs.ts'

/** `GET /bulk-jobs/:id`: how far a job of the application has come, and what went wrong (contract section 10.1). */
export function getBulkJob(actions: readonly BulkAction[]): Operation {
  return defineOperation({
    id: 'bulkJobs.get',
    method: 'GET',
    path: '/bulk-jobs/{id}',
    summary: 'Read how far a bulk job has come',
    scopes: ['crm_bulk_manage'],
    refuses: [['not_found', 'There is no such bulk job.']],
    answer: { data: jobWithErrorsSchema(wordsOf(actions)) },
    project: projectBulkJobs(actions),
    async execute({ caller, path, reader }, { clock, database }) {
      const [row] = await database.query(selectBulkJob, [caller.organization.id, caller.keysOf, path.id], reader)
      if (row === undefined) return notFound()
      const errors = Array.isArray(row.errors) ? row.errors.filter(isObject).map(shownError) : []
      return { status: 200, data: { ...shownBulkJob(row, clock.now()), errors }, meta: {} }
    },
  })
}

function shownError({ recordId, externalId, code, message, details, occurredAt }: JsonObject): JsonObject {
  const target = { id: recordId, externalId }
  // Inside JSON the database writes a time in a form of its own.
  return { target, code, message, details, occurredAt: new Date(String(occurredAt)).toISOString() }
}
