import { atOnce } from '../admission/index.ts'
import { type Issue, malformed, notFound, type Refusal, refuse } from '../errors/index.ts'
import type { BodyDeclaration, CheckedBody } from '../input/index.ts'
import { bounds, limits } from '../limits/index.ts'
import { defineOperation, type Operation, type Request } from '../operation.ts'
import {
  isAnonymized,
  keyLookup,
  presentingRead,
  type Resource,
  recordStatements,
  represent,
  toRecord,
} from '../record/index.ts'
import { projectElements } from '../redact/index.ts'
import {
  compileSchema,
  exampleExternalId,
  isObject,
  type JsonObject,
  type JsonSchema,
  type PresentContext,
} from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Database, type Row, statement } from '../sql/index.ts'
import { goneKey } from '../write/working-set.ts'
import { readScopes, recordSchema } from './ability.ts'
import { mergedInto } from './merge/merged-trail.ts'

/** `POST /<kind>/batch/get`: up to 100 records by id or key, each with its own status; 200 even if none is found. */
export function batchGet(resource: Resource): Operation {
  const { columns } = recordStatements(resource)
  const kind = `'${resource.kind}'`
  const live = keyLookup({ columns: ['resource_id'], kind, key: 'w.key', gone: false })
  const dead = keyLookup({ columns: ['reason'], kind, key: 'w.gone_key', gone: true })
  const find = statement(
    `batch_get_${resource.kind}`,
    `select w.ordinal, dead.reason as gone_reason, ${columns}
       from unnest($3::integer[], $4::uuid[], $5::text[], $6::text[]) as w(ordinal, id, key, gone_key)
       left join lateral ${live} as live on true
       left join lateral ${dead} as dead on true
       left join lateral (
         select x.* from ${resource.table.name} x
          where x.organization_id = $1 and x.id = coalesce(w.id, live.resource_id)
         offset 0) as t on true`,
  )
  return defineOperation({
    id: `${resource.plural}.batchGet`,
    method: 'POST',
    path: `${resource.path}/batch/get`,
    summary: `Read up to ${limits.batchItems} ${resource.plural} by id or externalId`,
    scopes: readScopes(resource),
    idempotent: false,
    bodyLimit: limits.batchBodyBytes,
    body: batchBody(`${resource.title}BatchGet`, { $ref: 'Reference' }, referenceCheck, {
      items: [{ externalId: exampleExternalId }, { externalId: 'A-1043' }],
    }),
    answer: elementsAnswer(resource, 'BatchGetResult', 200, notFound()),
    project: (data, caller) => projectElements(resource, data, caller),
    async execute(request, services) {
      const elements = elementsOf(request)
      const rows = await findRows(elements, find, request, services)
      const context = presentingRead(request, services)
      const missing = elements.flatMap(({ value: { id }, issues }, index) =>
        issues.length === 0 && typeof id === 'string' && isMissing(rows.get(index)) ? [id.toLowerCase()] : [],
      )
      const merged = await mergedInto(resource, missing, request.reader, services.database)
      const data = elements.map(({ value, issues, issueCount }, index) => {
        if (issueCount > 0) return refused(index, malformed(issues, issueCount))
        const mergedIntoId = merged.get(String(value.id).toLowerCase())
        if (mergedIntoId !== undefined) return refused(index, notFound(undefined, { mergedIntoId }))
        return answerElement(resource, rows.get(index), index, context)
      })
      return { status: 200, data, meta: {} }
    },
  })
}

const referenceCheck = compileSchema({ $ref: 'Reference' })

async function findRows(
  elements: readonly BatchElement[],
  find: Parameters<Database['query']>[0],
  { caller, reader }: Request,
  { database, secret }: Services,
): Promise<Map<number, Row>> {
  const wanted = elements.flatMap(({ value, issues }, ordinal) => (issues.length === 0 ? [{ ordinal, ...value }] : []))
  const keys = wanted.map(({ externalId }: JsonObject) => (typeof externalId === 'string' ? externalId : null))
  const values = [
    caller.organization.id,
    caller.keysOf,
    wanted.map(({ ordinal }) => ordinal),
    wanted.map(({ id }: JsonObject) => (typeof id === 'string' ? id : null)),
    keys,
    keys.map(key => (key === null ? null : secret.goneKey(key))),
  ]
  const rows = await database.query(find, values, reader)
  return new Map(rows.map(row => [Number(row.ordinal), row]))
}

function isMissing(row: Row | undefined): boolean {
  return row === undefined || row.id === null
}

function answerElement(resource: Resource, row: Row | undefined, index: number, context: PresentContext) {
  const reason = row?.gone_reason
  if (reason === 'deleted' || reason === 'merged' || reason === 'anonymized') {
    return refused(index, goneKey(resource.kind, reason))
  }
  if (row === undefined || isMissing(row)) return refused(index, notFound())
  const record = toRecord(row)
  if (isAnonymized(resource, record)) return refused(index, refuse('resource_deleted'))
  return { index, status: 200, data: represent(resource, record, context) }
}

/** One element of a batch request: its value, and its own issues. */
export interface BatchElement {
  /** The value; for an invalid element only its key. */
  readonly value: JsonObject
  /** The listed issues, and the number of all. */
  readonly issues: readonly Issue[]
  readonly issueCount: number
}

/** The elements of a batch request whose envelope was checked. */
export function elementsOf({ body }: Request): readonly BatchElement[] {
  return isElements(body) ? body.elements : []
}

function isElements(body: unknown): body is { elements: readonly BatchElement[] } {
  return isObject(body) && Array.isArray(body.elements)
}

/**
 * The body of a batch. An invalid envelope refuses the whole request (400), an invalid element refuses only itself. `check` returns the
 * issues of an element, with paths below the given path.
 */
export function batchBody(
  name: string,
  item: JsonSchema,
  check: (value: unknown, path: string) => Issue[] | { value: JsonObject; issues: readonly Issue[] },
  example: unknown,
): BodyDeclaration {
  const items = {
    type: 'array',
    minItems: 1,
    maxItems: limits.batchItems,
    description: 'The elements, which the answer has in the same order.',
  }
  const envelope = (items: JsonSchema) => ({
    type: 'object',
    required: ['items'],
    properties: { items },
    additionalProperties: false,
  })
  const checkEnvelope = compileSchema(envelope(items))
  return {
    name,
    schema: envelope({ ...items, items: item }),
    required: true,
    example,
    parse: body => atOnce(parseInSteps(body)),
    parseInSteps,
  }

  function* parseInSteps(body: unknown): Generator<unknown, CheckedBody> {
    const issues = checkEnvelope(body, '')
    if (issues.length > 0 || !isObject(body) || !Array.isArray(body.items)) return { value: body, issues }
    const elements: BatchElement[] = []
    // The limit on listed issues applies to all elements together.
    let listed = 0
    for (const [index, value] of body.items.entries()) {
      const checked = check(value, `/items/${index}`)
      const { value: element, issues: all } =
        'value' in checked ? checked : { value: isObject(value) ? value : {}, issues: checked }
      const issues = all.slice(0, Math.max(1, bounds.issues.most - listed))
      listed += issues.length
      elements.push({ value: all.length === 0 ? element : keyOf(element), issues, issueCount: all.length })
      yield
    }
    return { value: { elements }, issues: [] }
  }
}

/** The refusal of an element needs only its key; the rest of the element may be large. */
function keyOf({ externalId }: JsonObject): JsonObject {
  return { externalId }
}

/** A refused element: the error that a single request would get, without request id. */
export function refused(index: number, { status, code, message, details }: Refusal) {
  return { index, status, error: { code, message, details } }
}

/** The answer of a batch: `name` is the suffix of the component of an element; `example` is a status and `refusal` an example. */
export function elementsAnswer(resource: Resource, name: string, example: number, refusal: Refusal) {
  const items = {
    title: `${resource.title}${name}`,
    type: 'object',
    description: 'What became of an element: either `data` or `error` is there.',
    required: ['index', 'status'],
    properties: {
      index: { type: 'integer', minimum: 0, description: 'Its place in `items` of the request, from 0.' },
      status: { type: 'integer', description: 'The HTTP status that the single call would have given.', example },
      data: recordSchema(resource),
      error: { $ref: '#/components/schemas/ElementFailure' },
    },
  }
  return { data: { type: 'array', items }, alsoShown: refused(1, refusal) }
}
