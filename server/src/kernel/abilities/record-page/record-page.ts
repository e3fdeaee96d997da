import { cabinetPath } from '../../conventions.ts'
import { notFound, refuse } from '../../errors/index.ts'
import { bounds } from '../../limits/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import {
  isAnonymized,
  type Kinds,
  presentingRead,
  type Resource,
  recordStatements,
  represent,
  toRecord,
} from '../../record/index.ts'
import { projectRecord } from '../../redact/index.ts'
import {
  booleanSchema,
  countSchema,
  isObject,
  type JsonObject,
  type JsonSchema,
  listSchema,
  objectSchema,
  textSchema,
  uuidSchema,
} from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Row } from '../../sql/index.ts'
import { addressedId, readScopes, recordSchema } from '../ability.ts'
import { readRecordTitles } from '../record-texts.ts'
import { refusalsOfPath } from '../refusals.ts'
import { type LinkedKind, linkedKinds } from './linked-kinds.ts'
import { mostNamed, selectKeys, selectLinked } from './page-statements.ts'

/**
 * `GET …/pages/<kind>/{id}`: what the page of a record shows at first. The record, the keys that all applications have for it, the newest
 * records that are linked with it, how many of each kind there are, and what the caller may do.
 */
export function recordPage(resource: Resource, kinds: Kinds): Operation {
  const linked = linkedKinds(resource, kinds)
  return defineOperation({
    id: `pages.${resource.plural}`,
    method: 'GET',
    path: cabinetPath(`/pages/${resource.plural}/{id}`),
    addresses: { resource, parameter: 'id' },
    summary: `Read the page of a ${resource.kind}`,
    description: `Names ${mostNamed} linked records of each kind, the newest, and counts ${bounds.linkedCount.most} at most.`,
    scopes: readScopes(resource),
    answer: { data: pageSchema(resource, linked) },
    refuses: refusalsOfPath(resource),
    project(data, caller) {
      const page: JsonObject = isObject(data) ? data : {}
      const { data: record, redacted } = projectRecord(resource, page.record, caller)
      return { data: { ...page, record, permissions: [...caller.scopes].toSorted() }, redacted }
    },
    async execute(request, services) {
      const { caller, reader } = request
      const { database } = services
      const organizationId = caller.organization.id
      const id = addressedId(request)
      const readable = linked.filter(({ scopes }) => scopes.every(scope => caller.scopes.has(scope)))
      const names = readable.map(({ name }) => name)
      const [[row], keys, links] = await Promise.all([
        database.query(recordStatements(resource).get, [organizationId, caller.keysOf, id], reader),
        database.query(selectKeys, [organizationId, id, resource.kind], reader),
        database.query(
          selectLinked(resource, linked),
          [organizationId, id, names, bounds.linkedCount.most + 1],
          reader,
        ),
      ])
      if (row === undefined) return notFound()
      const record = toRecord(row)
      if (isAnonymized(resource, record)) return refuse('resource_deleted')
      const data = {
        record: represent(resource, record, presentingRead(request, services)),
        keys: keys.map(({ id: application, name, key }) => ({
          application: { id: application, name },
          externalId: key,
        })),
        linked: await namedLinks(readable, links, request, services),
        counts: Object.fromEntries(links.map(({ name, count }) => [name, countOf(Number(count))])),
      }
      return { status: 200, data, meta: {} }
    },
  })
}

function countOf(count: number): JsonObject {
  const { most } = bounds.linkedCount
  return { count: Math.min(count, most), isExact: count <= most }
}

/** The linked records with their titles, by kind. */
async function namedLinks(
  linked: readonly LinkedKind[],
  rows: readonly Row[],
  request: Request,
  services: Services,
): Promise<JsonObject> {
  const named = linked.map(async ({ name, other }): Promise<[string, JsonObject[]][]> => {
    if (other === null) return []
    const ids = idsIn(rows.find(row => row.name === name))
    const titles = ids.length === 0 ? new Map<string, string>() : await readRecordTitles(other, ids, request, services)
    const member = titleMember(other)
    const shown = ids.flatMap(id => (titles.has(id) ? [{ id, [member]: titles.get(id) }] : []))
    return [[name, shown]]
  })
  return Object.fromEntries((await Promise.all(named)).flat())
}

const titleMember = ({ hit }: Resource) => (hit.title === 'title' ? 'title' : 'name')

function idsIn(row: Row | undefined): string[] {
  return Array.isArray(row?.ids) ? row.ids.map(String) : []
}

function pageSchema(resource: Resource, linked: readonly LinkedKind[]): JsonSchema {
  const named = linked.flatMap(({ name, other }): [string, object][] => {
    if (other === null) return []
    const member = titleMember(other)
    const item = objectSchema(`Linked${other.title}`, {
      id: uuidSchema,
      [member]: textSchema('Its title.', 'Northwind'),
    })
    return [[name, listSchema(item, 'The newest first.')]]
  })
  const all = linked.map(({ name }) => name)
  const counted = objectSchema('LinkedCount', {
    count: countSchema('How many there are, as far as they were counted.'),
    isExact: booleanSchema('Whether these are all.', true),
  })
  const byName = (properties: object) => ({
    type: 'object',
    description: 'Without kinds that the caller may not read.',
    properties,
  })
  return objectSchema(`${resource.title}Overview`, {
    record: recordSchema(resource),
    keys: listSchema(
      objectSchema('RecordKey', {
        application: objectSchema('KeyOwner', { id: uuidSchema, name: textSchema('Its name.', 'ERP') }),
        externalId: textSchema('Its key of the record.', 'A-1042'),
      }),
      'Those of all applications.',
    ),
    linked: byName(Object.fromEntries(named)),
    counts: byName(Object.fromEntries(all.map(name => [name, counted]))),
    permissions: listSchema({ type: 'string' }, 'What the caller may do in the organization.'),
  })
}
