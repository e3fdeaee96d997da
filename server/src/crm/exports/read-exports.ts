import type { FiledRows } from '../../kernel/columns/index.ts'
import {
  type Caller,
  crm,
  defineOperation,
  ListedRecords,
  limits,
  mayRead,
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
} from '../../kernel/index.ts'
import { isObject, listSchema } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { projectionsIn, shownExport } from './export.ts'
import { exportSchema } from './export-schema.ts'
import { selectExport, selectExports } from './exports.sql.ts'
import { type ExportType, exportTypes } from './types.ts'

type Types = Readonly<Record<ExportType, FiledRows>>

/** `GET /exports`: the exports of the application, the newest first (contract section 10.2). */
export function listExports(types: Types): Operation {
  return defineOperation({
    id: 'exports.list',
    method: 'GET',
    path: '/exports',
    summary: 'List the exports of the application',
    description: 'The newest first.',
    scopes: ['crm_export_manage'],
    query: crm.pages,
    answer: { data: listSchema(exportSchema), meta: pageMeta },
    project: projectExports(types),
    execute: (request, services) => readPage(types, request, services),
  })
}

/** `GET /exports/:id`: how far an export of the application has come, and the link to its file (contract section 10.2). */
export function getExport(types: Types): Operation {
  return defineOperation({
    id: 'exports.get',
    method: 'GET',
    path: '/exports/{id}',
    summary: 'Read how far an export has come, and get its file',
    scopes: ['crm_export_manage'],
    refuses: [['not_found', 'There is no such export.']],
    answer: { data: exportSchema },
    project: projectExports(types),
    async execute({ caller, path, reader }, services) {
      const values = [caller.organization.id, caller.keysOf, path.id]
      const [row] = await services.database.query(selectExport, values, reader)
      if (row === undefined) return notFound()
      return { status: 200, data: shownExport(row, caller, types, services), meta: {} }
    },
  })
}

async function readPage(types: Types, request: Request, services: Services): Promise<Success | Refusal> {
  const { operation, caller, query, reader } = request
  const { cursor, limit: asked = limits.listDefault } = query
  const scope = { organizationId: caller.organization.id, route: operation.path, filters: {} }
  const after = typeof cursor === 'string' ? readCursor(services.secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')

  const limit = Number(asked)
  const page = new ListedRecords<Row>(
    request,
    services,
    limit,
    row => shownExport(row, caller, types, services),
    row => ({ createdAt: row.created_at, id: row.id }),
  )
  const values = [caller.organization.id, caller.keysOf, limit + 1]
  const [statement, position] =
    after === null ? [selectExports.first, []] : [selectExports.next, [after.createdAt, after.id]]
  await services.database.query(statement, [...values, ...position], reader, (row, bytes) => page.add(row, bytes))
  const { next } = page
  return page.answer({ nextCursor: next === null ? null : writeCursor(services.secret, scope, next) })
}

/**
 * Exports as a caller may see them: only who may read all that the file holds gets the link. It was asked for with other scopes
 * perhaps, by another token of the application.
 */
function projectExports(types: Types) {
  return (data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } => {
    const redacted = new Set<string>()
    const shown = (item: unknown) => {
      if (!isObject(item) || item.downloadUrl === undefined) return item
      const hidden = withheld(item, types, caller)
      if (hidden.length === 0) return item
      for (const projection of hidden) redacted.add(projection)
      const { downloadUrl: _, downloadUrlExpiresInSeconds: __, ...others } = item
      return others
    }
    return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted: [...redacted] }
  }
}

/** What the file holds and the caller may not read. */
function withheld(item: Readonly<Record<string, unknown>>, types: Types, caller: Caller): string[] {
  const type = exportTypes.find(known => known === item.type)
  const left = Array.isArray(item.redacted) ? item.redacted : []
  return type === undefined ? [] : projectionsIn(types[type], left).filter(held => !mayRead(held, caller.scopes))
}
