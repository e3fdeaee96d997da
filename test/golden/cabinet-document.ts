import { cabinetRoutes, organizationOffers } from '../../server/src/entrypoints/http/index.ts'
import { openApiDocument } from '../../server/src/kernel/openapi/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { cabinetOperations, nestedResources, operations, resources } from '../../server/src/modules.ts'

/** Everything that the cabinet offers below an organization. */
export const offers = organizationOffers([...operations, ...cabinetOperations])

/**
 * The OpenAPI document of the cabinet: all operations that it offers, and the routes about who signs in. It comes with the version of the
 * server, for the pages, and promises nothing to others. Failures are in one form, so each operation refers to it once.
 */
function cabinetDocument(): JsonObject {
  const offered = offers.map(({ operation, path }) => ({ ...operation, path }))
  const kinds = [...resources, ...nestedResources]
  const whole = openApiDocument({ operations: offered, resources: kinds, messages: [], version: 'of the server' })
  const { paths, components } = withoutExamples(whole)
  const ofOperations = isObject(paths) ? paths : {}
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {}
  const parameters = isObject(components) ? components.parameters : {}
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cabinet',
      version: 'of the server',
      description: 'What the pages call. It promises nothing to others.',
    },
    paths: { ...mapped(ofOperations, methods => mapped(methods, asOfCabinet)), ...routesAboutSessions() },
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'crm' } },
      parameters,
      headers: isObject(components) ? components.headers : {},
      schemas,
    },
  }
}

/** One line for each operation and each component. */
export function renderCabinetDocument(): string {
  const document = cabinetDocument()
  const lines = (node: unknown, depth: number): string => {
    if (depth === 0 || !isObject(node) || Object.keys(node).length === 0) return JSON.stringify(node)
    const members = Object.entries(node).map(([name, child]) => `${JSON.stringify(name)}: ${lines(child, depth - 1)}`)
    return `{\n${members.join(',\n')}\n}`
  }
  return `${lines(document, 3)}\n`
}

const failure = {
  description: 'A refusal: `error.code` says why.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
}

function asOfCabinet(operation: JsonObject): JsonObject {
  const responses = isObject(operation.responses) ? operation.responses : {}
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const [security] = Array.isArray(operation.security) ? operation.security : []
  const permissions = isObject(security) ? Object.values(security).flat() : []
  return {
    ...operation,
    security: [{ session: [] }],
    'x-permissions': permissions,
    responses: { ...Object.fromEntries(successes), default: failure },
  }
}

function routesAboutSessions(): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const { id, method, path, summary, access, body, answer, status, refuses } of cabinetRoutes) {
    const content = answer === null ? {} : { content: { 'application/json': { schema: dataOf(answer) } } }
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: id,
        summary,
        security: access === 'open' ? [] : [{ session: [] }],
        ...(body === null ? {} : { requestBody: { required: body.required, content: jsonOf(body.schema) } }),
        responses: { [status]: { description: 'Success', ...content }, default: failure },
        'x-refuses': refuses,
      },
    }
  }
  return paths
}

const jsonOf = (schema: unknown) => ({ 'application/json': { schema } })
const dataOf = (data: unknown) => ({ type: 'object', required: ['data'], properties: { data } })

function mapped(node: unknown, change: (child: JsonObject) => JsonObject): JsonObject {
  const entries = isObject(node) ? Object.entries(node) : []
  return Object.fromEntries(entries.map(([name, child]) => [name, isObject(child) ? change(child) : child]))
}

/** Examples are for integrators. A property that is called so is none. */
function withoutExamples(node: JsonObject): JsonObject {
  const stripped = (value: unknown, isSchemas: boolean): unknown => {
    if (Array.isArray(value)) return value.map(each => stripped(each, false))
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(([name]) => isSchemas || (name !== 'example' && name !== 'examples'))
    return Object.fromEntries(kept.map(([name, child]) => [name, stripped(child, name === 'properties')]))
  }
  const made = stripped(node, false)
  return isObject(made) ? made : {}
}
