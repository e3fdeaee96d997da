import {
  type BulkAction,
  crm,
  defineOperation,
  ListedRecords,
  limits,
  type Operation,
  pageMeta,
  type Refusal,
  type Request,
  readCursor,
  refuse,
  type Services,
  type Success,
  wordParameter,
  writeCursor,
} from '../../kernel/index.ts'
import { listSchema } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { shownBulkJob } from './bulk-job.ts'
import { jobSchema, wordsOf } from './bulk-job-schema.ts'
import { selectBulkJobs } from './bulk-jobs.sql.ts'
import { projectBulkJobs } from './project-bulk-jobs.ts'

/** `GET /bulk-jobs`: the jobs of the application, the newest first, without their errors (contract section 10.1). */
export function listBulkJobs(actions: readonly BulkAction[]): Operation {
  const words = wordsOf(actions)
  return defineOperation({
    id: 'bulkJobs.list',
    method: 'GET',
    path: '/bulk-jobs',
    summary: 'List the bulk jobs of the application',
    description: 'The newest first. Errors of targets are shown with a single job.',
    scopes: ['crm_bulk_manage'],
    query: { ...crm.pages, entityType: wordParameter('BulkEntityType', words.kinds, 'Jobs for one kind of records') },
    answer: { data: listSchema(jobSchema(words)), meta: pageMeta },
    project: projectBulkJobs(actions),
    execute: readPage,
  })
}

async function readPage(request: Request, services: Services): Promise<Success | Refusal> {
  const { operation, caller, query, reader } = request
  const { cursor, limit: asked = limits.listDefault, ...filters } = query
  const scope = { organizationId: caller.organization.id, route: operation.path, filters }
  const after = typeof cursor === 'string' ? readCursor(services.secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')

  const limit = Number(asked)
  const { entityType } = filters
  const statement = selectBulkJobs({ goesOn: after !== null, ofType: entityType !== undefined })
  const position = after === null ? [] : [after.createdAt, after.id]
  const type = entityType === undefined ? [] : [entityType]
  // One row more than asked for tells whether there is a next page.
  const values = [caller.organization.id, caller.keysOf, limit + 1, ...position, ...type]
  const now = services.clock.now()
  const page = new ListedRecords<Row>(
    request,
    services,
    limit,
    row => shownBulkJob(row, now),
    row => ({ createdAt: row.created_at, id: row.id }),
  )
  await services.database.query(statement, values, reader, (row, bytes) => page.add(row, bytes))
  const { next } = page
  return page.answer({ nextCursor: next === null ? null : writeCursor(services.secret, scope, next) })
}
