import { nameOfKind, type Resource } from '../abilities/index.ts'
import type { QueryDeclaration, QueryParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import type { Operation } from '../operation.ts'
import { chosenIdSchema, type JsonObject, type JsonSchema, uuidSchema } from '../schema/index.ts'
import { exampleUuid } from './example.ts'
import { sentences } from './keywords.ts'
import type { Schemas } from './schemas.ts'

/** Shown in the example; a client sends a new value with each request. */
const exampleIdempotencyKey = exampleUuid('Idempotency-Key')

/** Components of requests' headers, by name. */
export const requestHeaders: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'A new value, such as a UUID, for each request; the same value for each repetition of it.',
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength, pattern: '^[\\x21-\\x7E]+$' },
    example: exampleIdempotencyKey,
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id for the request, which the answer repeats. One of another form is replaced, not refused.',
    schema: { type: 'string', maxLength: limits.requestIdLength, pattern: '^[A-Za-z0-9._:/@+=~-]+$' },
    example: 'night-import-2026-03-31',
  },
}

/** The parameters of an operation: path, query, headers. */
export function parametersOf(
  { path, query, idempotent, chosenIds }: Operation,
  resources: readonly Resource[],
  schemas: Schemas,
): JsonObject[] {
  const headers = [...(idempotent ? ['IdempotencyKey'] : []), 'RequestId']
  return [
    ...pathParameters(path, chosenIds, resources),
    ...queryParameters(query, schemas),
    ...headers.map(name => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

const { type, pattern, maxLength } = chosenIdSchema

function pathParameters(path: string, chosenIds: readonly string[], resources: readonly Resource[]): JsonObject[] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    const name = /^\{(\w+)\}$/u.exec(segment)?.[1]
    if (name === undefined) return []
    const collection = segments[index - 1] ?? ''
    const above = segments.slice(0, index).join('/')
    const resource = resources.find(each => each.path === above)
    const kind = resource?.kind
    return {
      name,
      in: 'path',
      required: true,
      description:
        resource === undefined ? `An id from the list of ${collection}.` : `The id of the ${nameOfKind(resource)}.`,
      ...(chosenIds.includes(name)
        ? { schema: { type, pattern, maxLength }, example: chosenIdSchema.example }
        : { schema: uuidSchema, example: exampleUuid(kind === undefined ? `${collection}Id` : `${kind}Id`) }),
    }
  })
}

function queryParameters(query: QueryDeclaration, schemas: Schemas): JsonObject[] {
  return Object.entries(query).map(([name, parameter]) => {
    const { requiredUnlessInBody, required = requiredUnlessInBody, description } = parameter
    return {
      name: name.replace(/\..*$/u, ''),
      in: 'query',
      ...(required ? { required } : {}),
      description: sentences(description),
      ...valueOf(name, parameter, schemas),
    }
  })
}

/** How the parameter is written, the schema of its value, and an example. */
function valueOf(name: string, { schema, most, names, example }: QueryParameter, schemas: Schemas): JsonObject {
  const published = (form: JsonSchema) => schemas.publish(form, 'request')
  if (names !== undefined) {
    const { component, form, most: maxProperties } = names
    const object = {
      component,
      type: 'object',
      maxProperties,
      additionalProperties: schema,
      documented: { propertyNames: { pattern: form.source } },
    }
    return { style: 'form', explode: true, schema: published(object), example: { [names.example]: example } }
  }
  if (most !== undefined) {
    const list = { type: 'array', minItems: 1, maxItems: most, items: schema }
    return {
      style: 'form',
      explode: true,
      schema: published(list),
      example: [example ?? exampleUuid(name.replace(/Ids$/u, 'Id'))],
    }
  }
  // A list is one parameter with commas in it.
  const style = schema.type === 'array' ? { style: 'form', explode: false } : {}
  const shown = example ?? (schema === uuidSchema ? exampleUuid(name) : undefined)
  return { ...style, schema: published(schema), ...(shown === undefined ? {} : { example: shown }) }
}
