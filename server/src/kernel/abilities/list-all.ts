import { defineOperation } from '../define-operation.ts'
import type { Operation } from '../operation.ts'
import { presentingRead, represent, toRecord } from '../record/codec.ts'
import { columnsOf } from '../record/record-statements.ts'
import type { RecordState, Resource } from '../record/resource.ts'
import { projectRecords } from '../redact/index.ts'
import { type Statement, statement } from '../sql/index.ts'
import { basePath, operationGroup, readScopes, recordSchema } from './ability.ts'
import { ListedRecords } from './listed-records.ts'

/**
 * `GET /<kind>` of a kind of which an organization has a limited number: 200 with all of them in one array, the newest first,
 * without pages (specification, "Channels and AI routes").
 */
export function listAll(resource: Resource): Operation {
  const { most, kind, table } = resource
  if (most === null) throw new Error(`there may be any number of ${kind}`)
  const all: Statement = statement(
    `list_all_${kind}`,
    `select ${columnsOf(resource)} from ${table.name} t
      where t.organization_id = $1
      order by t.created_at desc, t.id desc`,
  )
  return defineOperation({
    id: `${operationGroup(resource)}.list`,
    surface: resource.surface,
    method: 'GET',
    path: basePath(resource),
    summary: `List all ${resource.plural.replaceAll('-', ' ')}`,
    description: `The newest first, all at once: an organization can have ${most}.`,
    scopes: readScopes(resource),
    answer: { data: { type: 'array', items: recordSchema(resource) } },
    project: (data, caller) => projectRecords(resource, data, caller),
    async execute(request, services) {
      const context = presentingRead(request, services)
      const page = new ListedRecords<RecordState>(
        request,
        services,
        Number.POSITIVE_INFINITY,
        record => represent(resource, record, context),
        ({ id }) => ({ id }),
      )
      const values = [request.caller.organization.id]
      await services.database.query(all, values, request.reader, (row, bytes) => page.add(toRecord(row), bytes))
      return page.answer({})
    },
  })
}
