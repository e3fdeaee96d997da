import type { Scope } from '../auth/index.ts'
import { notFound, refuse } from '../errors/index.ts'
import { wordsParameter } from '../input/index.ts'
import { defineOperation, type Operation, type OperationDeclaration, type Request } from '../operation.ts'
import { isAnonymized, presentingRead, type Resource, recordStatements, represent, toRecord } from '../record/index.ts'
import { projectRecord } from '../redact/index.ts'
import type { JsonObject, JsonSchema } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { addressedId, aRecord, ofRecord, operationGroup, readScopes, recordSchema } from './ability.ts'
import { refusalsOfPath } from './refusals.ts'

/** What `include` of a request shows in `meta` beside the record. */
export interface Included {
  /** The word that asks for it. */
  readonly word: string
  readonly description: string
  /** The scope that it needs in addition to that of the record. */
  readonly scope: Scope
  /** The members of `meta`. */
  readonly members: Readonly<Record<string, JsonSchema>>
  /** Reads them for the record with this id, which the caller may read. */
  read(id: string, request: Request, services: Services): Promise<JsonObject>
}

/** `GET /<kind>/:id`: 200 with the record, 404, or 410 for an anonymized contact; `included` is shown on request. */
export function get(resource: Resource, included?: Included): Operation {
  const isKeyed = resource.isSynchronized
  const { get: selectRecord } = recordStatements(resource)
  return defineOperation({
    id: `${operationGroup(resource)}.get`,
    conventions: resource.conventions,
    method: 'GET',
    ...ofRecord(resource),
    summary: `Read ${aRecord(resource)}`,
    scopes: readScopes(resource),
    ...(included === undefined ? {} : including(resource, included)),
    answer: { data: recordSchema(resource), ...metaOf(resource, included) },
    refuses: refusalsOfPath(resource),
    project: (data, caller) => projectRecord(resource, data, caller),
    async execute(request, services) {
      const { caller, reader } = request
      const { organization, keysOf } = caller
      const id = addressedId(request)
      const values = isKeyed ? [organization.id, keysOf, id] : [organization.id, id]
      const [row] = await services.database.query(selectRecord, values, reader)
      if (row === undefined) return notFound()
      const record = toRecord(row)
      if (isAnonymized(resource, record)) return refuse('resource_deleted')
      const data = represent(resource, record, presentingRead(request, services))
      const isPlain = included === undefined || request.query.include === undefined
      return { status: 200, data, meta: isPlain ? {} : await included.read(id, request, services) }
    },
  })
}

function metaOf({ title }: Resource, included: Included | undefined) {
  return included && { meta: { title: `${title}Meta`, type: 'object', properties: included.members } }
}

/** The query parameter, and the scope that it needs. */
function including({ title }: Resource, { word, description, scope }: Included) {
  return {
    query: { include: wordsParameter(`${title}Include`, [word], description) },
    scopesOf: ({ include }: Readonly<Record<string, unknown>>) =>
      typeof include === 'string' && include.split(',').includes(word) ? [scope] : [],
  } satisfies Partial<OperationDeclaration>
}
