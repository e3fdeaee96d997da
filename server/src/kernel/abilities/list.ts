import { crmConventions } from '../conventions.ts'
import { Refusal } from '../errors/index.ts'
import { externalIdParameter, searchParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import { defineOperation, type Operation, type Request, type Success } from '../operation.ts'
import {
  keyLookup,
  presentingRead,
  type RecordState,
  type Resource,
  represent,
  toRecord,
  visibleIn,
} from '../record/index.ts'
import { projectRecords } from '../redact/index.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Bind, binding, type Row, type Statement, statement } from '../sql/index.ts'
import { goneKey } from '../write/working-set.ts'
import { readScopes, recordSchema } from './ability.ts'
import { askedSelection, isSelected, keyedId } from './asked-selection.ts'
import { selectionParameters, selectionScopes } from './list-parameters.ts'
import { ListedRecords } from './listed-records.ts'
import { type NewestTexts, sampledTextsStatement } from './newest-texts.sql.ts'
import { readPage, readPosition } from './read-page.ts'
import { fillSelected } from './read-selection.ts'
import { keyedInList } from './records-with-key.ts'
import { refusalsOfKey } from './refusals.ts'
import { divideForList, isOneOf, listStatementText, type SearchWay, waysToSearch } from './search-list.ts'

/**
 * `GET /<kind>`: the newest records first, in keyset pages, so that no record appears twice and none is skipped. `externalId` returns the
 * one record with that key (410 if it is gone). `search` matches names and titles, and with `crm_contact_data_read` also phones and
 * e-mails.
 */
export function list(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.list`,
    method: 'GET',
    path: resource.path,
    summary: `List ${resource.plural}`,
    scopes: readScopes(resource),
    scopesOf: query => selectionScopes(resource, query),
    query: {
      ...crmConventions.pages,
      externalId: externalIdParameter(),
      search: searchParameter(1, limits.contactSearchLength, 'Text in names and titles, or in contact data', 'petrova'),
      ...selectionParameters(resource),
    },
    answer: { data: { type: 'array', items: recordSchema(resource) }, meta: selectedMeta },
    refuses: refusalsOfKey(resource),
    project: (data, caller) => projectRecords(resource, data, caller),
    execute: (request, services) =>
      isSelected(resource, request.query)
        ? listSelected(resource, request, services)
        : listRecords(resource, request, services),
  })
}

export const pageMeta = {
  title: 'PageMeta',
  type: 'object',
  required: ['nextCursor'],
  properties: { nextCursor: { type: ['string', 'null'], description: 'null on the last page' } },
}

const selectedMeta = {
  ...pageMeta,
  title: 'RecordPageMeta',
  properties: {
    ...pageMeta.properties,
    truncated: {
      type: 'boolean',
      description:
        'Whether the page ended before it was full, because enough records were looked at: nextCursor goes on. Only with a filter or `sort`.',
    },
  },
}

async function listRecords(resource: Resource, request: Request, services: Services): Promise<Success | Refusal> {
  const context = presentingRead(request, services)
  const keyed = await keyedInList(resource, request, services)
  return readPage<RecordState>(request, services, {
    show: record => represent(resource, record, context),
    positionOf: ({ createdAt, id }) => ({ createdAt, id, ...(keyed.includes(id) ? { keyed: true } : {}) }),
    async fill(page, { after, most, filters: { externalId } }) {
      const position = await fillPage(page, { resource, request, services, keyed, after, most })
      const isGone = page.isEmpty && typeof externalId === 'string'
      return (isGone ? await findGoneKey(resource, externalId, request, services) : null) ?? position
    },
  })
}

/** A page of the records that filters choose, in the order of `sort`. */
async function listSelected(resource: Resource, request: Request, services: Services): Promise<Success | Refusal> {
  const { cursor: _, limit = limits.listDefault, ...filters } = request.query
  const position = readPosition(request, services, filters)
  if (position instanceof Refusal) return position
  const keyed = await keyedInList(resource, request, services)
  const selection = await askedSelection(resource, request, services, keyed)
  if (selection instanceof Refusal) return selection
  const context = presentingRead(request, services)
  const page = new ListedRecords<RecordState>(request, services, {
    show: record => represent(resource, record, context),
    limit: Number(limit),
  })
  const { after } = position
  const { next, isTruncated } = await fillSelected(page, {
    resource,
    request,
    services,
    selection,
    keyed,
    after,
    most: Number(limit) + 1,
  })
  const { externalId } = filters
  const isGone = page.isEmpty && typeof externalId === 'string'
  const gone = isGone ? await findGoneKey(resource, externalId, request, services) : null
  return gone ?? page.answer({ nextCursor: position.cursorTo(next), truncated: isTruncated })
}

interface Asked {
  readonly resource: Resource
  readonly request: Request
  readonly services: Services
  /** The records that the search finds by their keys. They come before all others, and a position among them says so. */
  readonly keyed: readonly string[]
  /** The record after which the page begins; null for the first page. */
  readonly after: JsonObject | null
  readonly most: number
}

/** Fills the page, and returns the position where the next one begins. */
async function fillPage(page: ListedRecords<RecordState>, asked: Asked): Promise<JsonObject | null> {
  const { resource, request, services, keyed, after, most } = asked
  const { caller, query, reader } = request
  const { database } = services
  const take = (row: Row, bytes: number) => page.add(toRecord(row), bytes)
  const { search } = query
  const values: unknown[] = [caller.organization.id, caller.keysOf, most]
  const bind = binding(values)
  if (typeof search !== 'string') {
    // A search is planned for its own text; a plain list always walks the same index.
    const conditions = [...visibleIn(resource), ...otherConditions(asked, bind)]
    await database.query(listStatement(resource, conditions), values, reader, take)
    return page.next
  }
  const isAmongKeyed = after === null || after.keyed === true
  if (isAmongKeyed && keyed.length > 0) {
    const conditions = [...visibleIn(resource), isOneOf(keyed, bind), ...otherConditions(asked, bind)]
    await database.search(keyedStatement(resource, listStatementText(resource, conditions)), values, reader, take)
    if (page.next !== null) return page.next
  }
  return fillWithTexts(page, search, isAmongKeyed ? { ...asked, after: null } : asked, take)
}

/** The same with the records that have the search in their texts. */
async function fillWithTexts(
  page: ListedRecords<RecordState>,
  search: string,
  asked: Asked,
  take: (row: Row, bytes: number) => void,
): Promise<JsonObject | null> {
  const { resource, request, services, keyed, after, most } = asked
  const { caller, reader } = request
  const { database } = services
  const readSample = () =>
    database.query<NewestTexts>(sampledTextsStatement(resource), [caller.organization.id], reader)
  const looked = { search, divided: await divideForList(resource, search, caller, readSample), keyed }
  for (const way of waysToSearch(resource, looked, caller, after)) {
    const values: unknown[] = [caller.organization.id, caller.keysOf, most]
    const bind = binding(values)
    const text = way.text(otherConditions(asked, bind), bind)
    await database.search(searchStatement(resource, text), values, reader, take)
    if (page.next !== null) return way.mark(page.next)
    if (!page.isEmpty || way.isLast) return endOf(way, asked)
  }
  return null
}

/** The end of a page that is not full because only a part of the records was examined. */
async function endOf({ end }: SearchWay, asked: Asked): Promise<JsonObject | null> {
  const { resource, request, services } = asked
  if (end === undefined || request.query.externalId !== undefined) return null
  const values: unknown[] = [request.caller.organization.id]
  const text = end(otherConditions(asked, binding(values)))
  const [row] = await services.database.search<JsonObject>(searchStatement(resource, text), values, request.reader)
  return row ?? null
}

/** The conditions of the cursor and of the other filter. */
function otherConditions({ resource, request, after }: Asked, bind: Bind): string[] {
  const { externalId } = request.query
  return [
    ...(after === null ? [] : [`(t.created_at, t.id) < (${bind(after.createdAt)}, ${bind(after.id)})`]),
    ...(typeof externalId === 'string' ? [`t.id = ${keyedId(resource, bind(externalId))}`] : []),
  ]
}

/** It is planned each time, for the number of its ids. */
function keyedStatement({ kind }: Resource, text: string): Statement {
  const name = `list_keyed_${kind}`
  return { name, text: `-- name: ${name}\n${text}` }
}

/** It is planned each time, because there are more texts than could be kept prepared. */
function searchStatement({ kind }: Resource, text: string): Statement {
  const name = `search_list_of_${kind}`
  return { name, text: `-- name: ${name}\n${text}` }
}

const compiled = new Map<string, Statement>()

function listStatement(resource: Resource, conditions: readonly string[]): Statement {
  const key = `${resource.kind} ${conditions.join()}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const made = statement(`list_${resource.kind}_${compiled.size}`, listStatementText(resource, conditions))
  compiled.set(key, made)
  return made
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
  const { organization, keysOf } = caller
  const values = [organization.id, keysOf, resource.kind, secret.goneKey(externalId)]
  const [row] = await database.query<GoneKeyRow>(findGone, values, reader)
  return row === undefined ? null : goneKey(resource.kind, row.reason)
}
