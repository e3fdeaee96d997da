import {
  crm,
  ListedRecords,
  limits,
  notFound,
  type Operation,
  pageMeta,
  type Refusal,
  type Request,
  readCursor,
  refuse,
  type Services,
  type Success,
  writeCursor,
} from '../../../kernel/index.ts'
import { listSchema } from '../../../kernel/schema/index.ts'
import type { Row } from '../../../kernel/sql/index.ts'
import { isImportRow, toAnswer } from '../import.ts'
import { importSchema } from '../import-schema.ts'
import { selectImport, selectImports } from '../imports.sql.ts'
import { missingImport } from './change-import.ts'
import { importOperation } from './import-operation.ts'

/** `GET /imports`: the imports of the organization, the newest first (specification, "Imports"). */
export const listImports: Operation = importOperation({
  id: 'imports.list',
  method: 'GET',
  path: '/imports',
  summary: 'List the imports of the organization',
  description: 'The newest first, whichever application or user has made them.',
  query: crm.pages,
  answer: { data: listSchema(importSchema), meta: pageMeta },
  execute: readPage,
})

/** `GET /imports/:id`: how far an import has come. */
export const getImport: Operation = importOperation({
  id: 'imports.get',
  method: 'GET',
  path: '/imports/{id}',
  summary: 'Read how far an import has come',
  refuses: [missingImport],
  async execute({ caller, path, reader }, services) {
    const [row] = await services.database.query(selectImport, [caller.organization.id, path.id], reader)
    return isImportRow(row) ? { status: 200, data: toAnswer(row, services.clock.now()), meta: {} } : notFound()
  },
})

async function readPage(request: Request, services: Services): Promise<Success | Refusal> {
  const { operation, caller, query, reader } = request
  const { cursor, limit: asked = limits.listDefault } = query
  const scope = { organizationId: caller.organization.id, route: operation.path, filters: {} }
  const after = typeof cursor === 'string' ? readCursor(services.secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')

  const limit = Number(asked)
  const now = services.clock.now()
  const page = new ListedRecords<Row>(
    request,
    services,
    limit,
    row => (isImportRow(row) ? toAnswer(row, now) : {}),
    row => ({ createdAt: row.created_at, id: row.id }),
  )
  const values = [caller.organization.id, limit + 1]
  const [statement, position] =
    after === null ? [selectImports.first, []] : [selectImports.next, [after.createdAt, after.id]]
  await services.database.query(statement, [...values, ...position], reader, (row, bytes) => page.add(row, bytes))
  const { next } = page
  return page.answer({ nextCursor: next === null ? null : writeCursor(services.secret, scope, next) })
}
