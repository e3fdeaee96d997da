import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { jsonContent, nodeAt, placeOf } from './document.ts'

/**
 * What a client has to know of an operation to call it. The resource and the name of its method are the two parts of the id, and the
 * names of its path parameters stand in the path. What does not hold is absent.
 */
export interface OperationRow {
  readonly id: string
  readonly method: Operation['method']
  readonly path: string
  readonly query?: readonly string[]
  /** The component of the JSON body, or `form` for `multipart/form-data`. A body that only repeats the query is left out. */
  readonly body?: string
  /** The component of a success. */
  readonly answer: string
  /** Whether it takes an `Idempotency-Key`. */
  readonly keyed?: true
  /** Whether it answers a page, and `cursor` asks for the next one. */
  readonly paged?: true
  /** Where the version stands that the record must have: in the query, the body or each item of the body. */
  readonly cas?: 'query' | 'body' | 'items'
  readonly scopes?: readonly string[]
  /** Whether the query may need more scopes. */
  readonly scopesByQuery?: true
  /** What it does to records. */
  readonly risk: 'read' | 'change' | 'erase'
  /** The operation whose effect this one shows. */
  readonly previewOf?: string
  /** The operation that shows the effect of this one. */
  readonly commitOf?: string
}

/** A row for each operation; the names of components come from the document. */
export function operationRows(operations: readonly Operation[], document: JsonObject): OperationRow[] {
  const previews = new Map(operations.map(({ id, previewOf }) => [previewOf, id]))
  return operations.map(operation => {
    const { id, method, path, query, idempotent, scopes, scopesOf, answer, previewOf } = operation
    const names = Object.keys(query).map(name => name.replace(/\..*$/u, ''))
    const body = bodyOf(operation, document)
    const cas = versionIn(operation)
    const commitOf = previews.get(id)
    return {
      id,
      method,
      path,
      ...(names.length > 0 && { query: names }),
      ...(body !== undefined && { body }),
      answer: componentAt(document, `${placeOf(operation)}/responses/${operation.success[0]}`),
      ...(idempotent && { keyed: true }),
      ...('cursor' in query && hasProperty(answer.meta, 'nextCursor') && { paged: true }),
      ...(cas !== undefined && { cas }),
      ...(scopes.length > 0 && { scopes }),
      ...(scopesOf !== undefined && { scopesByQuery: true }),
      risk: riskOf(operation),
      ...(previewOf !== undefined && { previewOf }),
      ...(commitOf !== undefined && { commitOf }),
    }
  })
}

function bodyOf(operation: Operation, document: JsonObject): string | undefined {
  const { body, query } = operation
  if (body === null) return undefined
  if (body.form === 'multipart') return 'form'
  const repeatsQuery = !body.required && Object.keys(propertiesOf(body.schema)).every(name => name in query)
  return repeatsQuery ? undefined : componentAt(document, `${placeOf(operation)}/requestBody`)
}

function versionIn(operation: Operation): OperationRow['cas'] {
  const schema = jsonBodyOf(operation)?.schema
  if ('expectedVersion' in operation.query) return 'query'
  if (hasProperty(schema, 'expectedVersion') || hasProperty(schema, 'expectedPrimaryVersion')) return 'body'
  const { items } = propertiesOf(schema)
  return isObject(items) && hasProperty(items.items, 'expectedVersion') ? 'items' : undefined
}

/** The scopes tell it better than the method. */
function riskOf({ method, scopes }: Operation): OperationRow['risk'] {
  if (method === 'GET' || scopes.every(scope => scope.endsWith('_read'))) return 'read'
  return method === 'DELETE' || scopes.some(scope => scope.endsWith('_delete')) ? 'erase' : 'change'
}

function componentAt(document: JsonObject, at: string): string {
  const { $ref } = nodeAt(document, `${at}${jsonContent}/schema`)
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined
  if (name === undefined) throw new Error(`the schema at ${at} has no name`)
  return name
}

const propertiesOf = (schema: unknown): JsonObject =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {}

const hasProperty = (schema: unknown, name: string): boolean => name in propertiesOf(schema)
