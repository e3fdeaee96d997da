import { notFound } from '../../errors/index.ts'
import { limits } from '../../limits/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import {
  columnOf,
  type Nested,
  parentColumn,
  presentingRead,
  type RecordState,
  represent,
  selectedColumns,
  toRecord,
} from '../../record/index.ts'
import { projectRecords } from '../../redact/index.ts'
import { isObject, type JsonSchema } from '../../schema/index.ts'
import { type Statement, statement } from '../../sql/index.ts'
import { nameOfKind, readScopes, recordSchema } from '../ability.ts'
import { ListedRecords } from '../listed-records.ts'
import { nestedName } from '../nested/create-nested.ts'
import { refusalsOfOwner } from '../refusals.ts'

/**
 * `GET …/<kind>`: a numbered page, the newest first, with the exact `total`; a page beyond the end has no items (contract section 13). 404
 * if the parent does not exist. `blocks` is the field of the parent with their `timeBlocks`.
 */
export function namedPage(nested: Nested, blocks: string): Operation {
  const page = pageStatement(nested, blocks)
  return defineOperation({
    id: `${nestedName(nested)}.list`,
    conventions: nested.conventions,
    method: 'GET',
    path: nested.path,
    summary: `List the ${nested.plural} of a ${nameOfKind(nested.parent.resource)}`,
    description: 'The newest first. A page beyond the end has no items.',
    scopes: readScopes(nested),
    query: nested.conventions.pages,
    answer: { data: pageSchema(nested) },
    refuses: refusalsOfOwner(nested),
    project(data, caller) {
      if (!isObject(data)) return projectRecords(nested, data, caller)
      const items = projectRecords(nested, data.items, caller)
      return { data: { ...data, items: items.data }, redacted: items.redacted }
    },
    async execute(request, services) {
      const { caller, path, query, reader } = request
      const [number, limit] = [Number(query.page ?? 1), Number(query.limit ?? limits.productsDefault)]
      const context = presentingRead(request, services)
      const items = new ListedRecords<RecordState>(request, services, {
        show: record => represent(nested, record, context),
        limit,
        member: 'items',
      })
      let total: number | null = null
      const values = [caller.organization.id, path[nested.parent.parameter], limit, (number - 1) * limit]
      await services.database.query(page, values, reader, (row, bytes) => {
        total = Number(row.total)
        if (row.id !== null) items.add(toRecord(row), bytes)
      })
      if (total === null) return notFound()
      return items.answer({}, { page: number, limit, total, totalPages: Math.ceil(total / limit) })
    },
  })
}

/**
 * $1 organization, $2 id of the parent, $3 the page size, $4 the number of records before the page. One row of nulls with the total if the
 * page is empty; no row if the parent does not exist.
 *
 * Sums of `timeBlocks` lead to the block in which the page begins. From the end of that block, only index entries are counted, and only
 * the rows of the page are read.
 */
function pageStatement(nested: Nested, blocks: string): Statement {
  const { kind, table, countedIn } = nested
  const { resource } = nested.parent
  const column = (name = '') => {
    const field = resource.fields[name]
    if (field === undefined) throw new Error(`the parent has no field that counts ${kind}`)
    return `p.${columnOf(name, field)}`
  }
  const total = column(countedIn)
  return statement(
    `page_of_${kind}`,
    `select ${total} as total, page.* from ${resource.table.name} p
  left join lateral (
    select ${selectedColumns(nested)} from (
      select b.until, b.newer from (
        select (each.block ->> 0)::timestamptz as until,
               sum((each.block ->> 1)::integer) over (order by each.place desc) - (each.block ->> 1)::integer as newer
          from jsonb_array_elements(${column(blocks)}) with ordinality as each(block, place)) as b
       where b.newer <= $4::bigint and $4::bigint < ${total}
       order by b.newer desc limit 1) as block
    cross join lateral (
      select k.id from ${table.name} k
       where k.organization_id = $1 and k.${parentColumn(nested)} = p.id and k.created_at <= block.until
       order by k.created_at desc, k.id desc offset $4::bigint - block.newer limit $3::bigint) as found
    cross join lateral (
      select x.* from ${table.name} x where x.organization_id = $1 and x.id = found.id offset 0) as t
     order by t.created_at desc, t.id desc) as page on true
 where p.organization_id = $1 and p.id = $2`,
  )
}

/** JSON Schema of a page object. */
function pageSchema(nested: Nested): JsonSchema {
  const count = { type: 'integer', minimum: 0 }
  return {
    title: `${nested.title}Page`,
    type: 'object',
    required: ['items', 'page', 'limit', 'total', 'totalPages'],
    properties: {
      items: { type: 'array', items: recordSchema(nested), description: 'The records of this page.' },
      page: { type: 'integer', minimum: 1, description: 'The number of this page.' },
      limit: { type: 'integer', minimum: 1, description: 'How many records a page has.' },
      total: { ...count, description: 'How many there are on all pages.' },
      totalPages: { ...count, description: 'How many pages there are.' },
    },
  }
}
