import { notFound } from '../../errors/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import {
  type Nested,
  parentColumn,
  presentingRead,
  type RecordState,
  represent,
  selectedColumns,
  toRecord,
} from '../../record/index.ts'
import { projectRecords } from '../../redact/index.ts'
import { type Statement, statement } from '../../sql/index.ts'
import { nameOfKind, readScopes, recordSchema } from '../ability.ts'
import { ListedRecords } from '../listed-records.ts'
import { nestedName } from '../nested/create-nested.ts'
import { refusalsOfOwner } from '../refusals.ts'

/**
 * `GET …/<kind>` of a kind with a limited number per parent: 200 with all records in one array, the newest first, without pages
 * (specification, "Channels and AI routes"). 404 if the parent does not exist.
 */
export function namedList(nested: Nested): Operation {
  const { kind, plural, table, parent, most } = nested
  if (most === null) throw new Error(`${kind} has no limit, which a list without pages needs`)
  // One row of nulls if there are no records, and no row if the parent does not exist.
  const all: Statement = statement(
    `list_all_${kind}`,
    `select listed.* from ${parent.resource.table.name} p
  left join lateral (
    select ${selectedColumns(nested)} from ${table.name} t
     where t.organization_id = $1 and t.${parentColumn(nested)} = p.id
     order by t.created_at desc, t.id desc) as listed on true
 where p.organization_id = $1 and p.id = $2`,
  )
  return defineOperation({
    id: `${nestedName(nested)}.list`,
    conventions: nested.conventions,
    method: 'GET',
    path: nested.path,
    summary: `List all ${plural} of a ${nameOfKind(parent.resource)}`,
    description: `The newest first, all at once: there can be ${most}.`,
    scopes: readScopes(nested),
    answer: { data: { type: 'array', items: recordSchema(nested) } },
    refuses: refusalsOfOwner(nested),
    project: (data, caller) => projectRecords(nested, data, caller),
    async execute(request, services) {
      const context = presentingRead(request, services)
      const page = new ListedRecords<RecordState>(request, services, {
        show: record => represent(nested, record, context),
      })
      let isThere = false
      const values = [request.caller.organization.id, request.path[parent.parameter]]
      await services.database.query(all, values, request.reader, (row, bytes) => {
        isThere = true
        if (row.id !== null) page.add(toRecord(row), bytes)
      })
      return isThere ? page.answer({}) : notFound()
    },
  })
}
