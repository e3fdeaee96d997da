import { crmConventions } from '../../conventions.ts'
import type { Refusal } from '../../errors/index.ts'
import { defineOperation, type Operation, type Request, type Success } from '../../operation.ts'
import {
  columnOf,
  embeddedKind,
  type Nested,
  numberedPlace,
  parentColumn,
  presentingRead,
  type RecordState,
  type Resource,
  selectedColumns,
  toRecord,
} from '../../record/index.ts'
import type { Services } from '../../services.ts'
import { columnName, type Statement, statement } from '../../sql/index.ts'
import { pageMeta } from '../list.ts'
import { refusalsOfOwner } from '../refusals.ts'
import { topAddress } from './ancestry.ts'
import { nestedName } from './create-nested.ts'
import { embeddedParts, wholeRows } from './embedded-records.ts'
import { nestedReadScopes, nestedSchema, representNested } from './nested-answer.ts'
import { readPartPage } from './part-page.ts'
import { projectNestedRecords } from './project-nested.ts'

/** `GET …/<nested>`: keyset pages in the order of the kind (contract sections 17.2 and 17.3); 404 if the parent does not exist, 410 if it was anonymized. */
export function nestedList(nested: Nested): Operation {
  return defineOperation({
    id: `${nestedName(nested)}.list`,
    method: 'GET',
    path: nested.path,
    addresses: topAddress(nested),
    summary: `List the ${nested.plural} of a ${nested.parent.resource.kind}`,
    scopes: nestedReadScopes(nested),
    query: crmConventions.pages,
    refuses: refusalsOfOwner(nested),
    answer: { data: { type: 'array', items: nestedSchema(nested) }, meta: pageMeta },
    project: (data, caller) => projectNestedRecords(nested, data, caller),
    execute: (request, services) => listNested(nested, request, services),
  })
}

function listNested(nested: Nested, request: Request, services: Services): Promise<Success | Refusal> {
  const { parent, order } = nested
  const inside = new Map<string, RecordState[]>()
  const context = presentingRead(request, services)
  return readPartPage(
    {
      parameter: parent.parameter,
      ordered: order.field,
      statement: goesOn => pageStatement(nested, goesOn),
      ...(embeddedKind(nested) === undefined ? {} : { whole: rows => wholeRows(rows, inside) }),
      show(row) {
        const record = toRecord(row)
        return representNested(nested, record, inside.get(record.id) ?? [], context)
      },
    },
    request,
    services,
  )
}

const compiled = new Map<string, Statement>()

function pageStatement(nested: Nested, continued: boolean): Statement {
  const name = `list_${nested.kind}${continued ? '_on' : ''}`
  const known = compiled.get(name)
  if (known !== undefined) return known
  const { order, table, parent } = nested
  const place = parent.isPlaced ? `, ${placeOnPage(nested, continued)} as position` : ''
  const column = columnName(order.field)
  const type = table.columns[column]
  const behind = order.direction === 'asc' ? '>' : '<'
  const start = continued ? `and (t.${column}, t.id) ${behind} ($4::${type}, $5::uuid)` : ''
  const { columns: embeddedColumns, join } = embeddedParts(nested)
  const made = statement(
    name,
    `select page.*${embeddedColumns}${ownerGone(parent.resource)} from ${parent.resource.table.name} p
  left join lateral (
    select ${selectedColumns(nested)}${place} from ${table.name} t
     where t.organization_id = $1 and t.${parentColumn(nested)} = p.id ${start}
     order by t.${column} ${order.direction}, t.id ${order.direction} limit $3) page on true${join}
 where p.organization_id = $1 and p.id = $2`,
  )
  compiled.set(name, made)
  return made
}

/** The column that says whether the parent was anonymized, for kinds where that can happen. */
function ownerGone({ roles, fields }: Resource): string {
  const since = roles.anonymizedAt === undefined ? undefined : fields[roles.anonymizedAt]
  if (roles.anonymizedAt === undefined || since === undefined) return ''
  return `, p.${columnOf(roles.anonymizedAt, since)} is not null as "ownerGone"`
}

/**
 * The position of a row on a page. Records before this page may have been added or removed since the last page, so the same statement
 * counts them.
 */
function placeOnPage(nested: Nested, continued: boolean): string {
  const place = numberedPlace('t')
  if (!continued) return place
  return `${place} + (select count(*)::integer from ${nested.table.name} b
             where b.organization_id = $1 and b.${parentColumn(nested)} = $2 and (b.rank, b.id) <= ($4, $5::uuid))`
}
