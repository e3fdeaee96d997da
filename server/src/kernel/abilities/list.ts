import { readCursor, writeCursor } from '../cursor.ts'
import { defineOperation } from '../define-operation.ts'
import { type Refusal, refuse } from '../errors/index.ts'
import { externalIdParameter, searchParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import type { Operation, Request, Success } from '../operation.ts'
import { presentingRead, toRecord } from '../record/codec.ts'
import { keyLookup } from '../record/key-lookup.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { projectRecords } from '../redact/index.ts'
import { mayRead } from '../redact/projection.ts'
import type { Services } from '../services.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'
import { crm } from '../surface.ts'
import { goneKey } from '../write/working-set.ts'
import { basePath, readScopes, recordSchema } from './ability.ts'
import { ListedRecords } from './listed-records.ts'
import { refusalsOfKey } from './refusals.ts'
import { searchConditions } from './search.ts'

/**
 * `GET /<kind>`: the newest records first, paged by key, so that no record comes twice and none is skipped.
 * `externalId` gives the one record of that key (410 when it is gone). `search` matches names and titles, and with
 * `crm_contact_data_read` also phones and e-mails.
 */
export function list(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.list`,
    method: 'GET',
    path: basePath(resource),
    summary: `List ${resource.plural}`,
    scopes: readScopes(resource),
    query: {
      ...crm.pages,
      externalId: externalIdParameter(),
      search: searchParameter(1, limits.contactSearchLength, 'Text in names and titles, or in contact data'),
    },
    answer: { data: { type: 'array', items: recordSchema(resource) }, meta: pageMeta },
    refuses: refusalsOfKey(resource),
    project: (data, caller) => projectRecords(resource, data, caller),
    execute: (request, services) => listRecords(resource, request, services),
  })
}

export const pageMeta = {
  title: 'PageMeta',
  type: 'object',
  required: ['nextCursor'],
  properties: { nextCursor: { type: ['string', 'null'], description: 'null on the last page' } },
}

async function listRecords(resource: Resource, request: Request, services: Services): Promise<Success | Refusal> {
  const { caller, query } = request
  const { organization, application } = caller
  const { cursor, limit = limits.listDefault, ...filters } = query
  const scope = { organizationId: organization.id, route: request.operation.path, filters }
  const after = typeof cursor === 'string' ? readCursor(services.secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')

  const values: unknown[] = [organization.id, application.id, Number(limit) + 1]
  const conditions = ['t.organization_id = $1', recordStatements(resource).visible]
  const bind = (value: unknown) => `$${values.push(value)}`
  if (after !== null) conditions.push(`(t.created_at, t.id) < (${bind(after.createdAt)}, ${bind(after.id)})`)
  const { externalId, search } = filters
  if (typeof externalId === 'string') conditions.push(`t.id = ${keyedId(resource, bind(externalId))}`)
  const searches = typeof search === 'string'
  const reachable = Object.values(resource.fields).some(field => field.search === 'contactData')
  const withContactData = reachable && mayRead('contact_data', caller.scopes)
  if (searches) conditions.push(...searchConditions(search, withContactData, bind))

  const page = new ListedRecords(resource, request, presentingRead(request, services), Number(limit))
  const take = (row: Row, bytes: number) => page.add(toRecord(row), bytes)
  // A search is planned for its own text, because the best plan depends on it. A plain list always walks the same
  // index.
  const run = listStatement(resource, conditions)
  const { database } = services
  if (searches) await database.search(run, values, request.reader, take)
  else await database.query(run, values, request.reader, take)
  if (page.isEmpty && typeof externalId === 'string') {
    const gone = await findGoneKey(resource, externalId, request, services)
    if (gone !== null) return gone
  }
  const position = page.next
  return page.answer({ nextCursor: position === null ? null : writeCursor(services.secret, scope, position) })
}

const compiled = new Map<string, Statement>()

function listStatement(resource: Resource, conditions: readonly string[]): Statement {
  const where = conditions.join('\n      and ')
  const key = `${resource.kind} ${where}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const { columns } = recordStatements(resource)
  const text = `select ${columns} from ${resource.table.name} t\n    where ${where}\n    order by t.created_at desc, t.id desc limit $3`
  const made = statement(`list_${resource.kind}_${compiled.size}`, text)
  compiled.set(key, made)
  return made
}

function keyedId(resource: Resource, parameter: string): string {
  return keyLookup({ columns: ['resource_id'], kind: `'${resource.kind}'`, key: parameter, gone: false })
}

type GoneKeyRow = { readonly reason: 'deleted' | 'merged' | 'anonymized' }

const findGone = statement(
  'find_gone_key',
  `select k.reason from ${keyLookup({ columns: ['reason'], kind: '$3', key: '$4', gone: true })} as k`,
)

async function findGoneKey(
  resource: Resource,
  externalId: string,
  { caller, reader }: Request,
  { database, secret }: Services,
) {
  const { organization, application } = caller
  const values = [organization.id, application.id, resource.kind, secret.goneKey(externalId)]
  const [row] = await database.query<GoneKeyRow>(findGone, values, reader)
  return row === undefined ? null : goneKey(resource.kind, row.reason)
}
