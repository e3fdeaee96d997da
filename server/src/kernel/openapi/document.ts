import type { Resource } from '../abilities/index.ts'
import type { Operation } from '../operation.ts'
import type { JsonObject } from '../schema/index.ts'
import { errorResponses } from './error-responses.ts'
import { responseHeaders } from './headers.ts'
import { describeOperation, tagOf } from './operation.ts'
import { requestHeaders } from './parameters.ts'
import { introduction, securityScheme, securitySchemeName } from './prose.ts'
import { Schemas } from './schemas.ts'
import { describeWebhooks, type OutgoingMessage, webhookTag } from './webhooks.ts'

export interface OpenApiOptions {
  readonly operations: readonly Operation[]
  readonly resources: readonly Resource[]
  /** What the server posts to receivers of webhooks. */
  readonly messages: readonly OutgoingMessage[]
  readonly version: string
}

/** The OpenAPI 3.1 document of the API, generated from declarations; equal declarations give equal text. */
export function openApiDocument({ operations, resources, messages, version }: OpenApiOptions): JsonObject {
  const schemas = new Schemas(resources)
  const paths = describePaths(operations, resources, schemas)
  const responses = errorResponses(operations, schemas)
  const webhooks = describeWebhooks(messages, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'CRM Public API',
      version,
      description: introduction,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // The address that clients loaded the document from.
    servers: [{ url: '/' }],
    tags: [...describeTags(operations), webhookTag],
    paths,
    webhooks,
    components: {
      securitySchemes: { [securitySchemeName]: securityScheme },
      parameters: requestHeaders,
      headers: responseHeaders,
      responses,
      schemas: schemas.components(),
    },
  }
}

function describePaths(operations: readonly Operation[], resources: readonly Resource[], schemas: Schemas): JsonObject {
  const paths = new Map<string, JsonObject>()
  for (const operation of operations) {
    const methods = paths.get(operation.path) ?? {}
    methods[operation.method.toLowerCase()] = describeOperation(operation, resources, schemas)
    paths.set(operation.path, methods)
  }
  return Object.fromEntries(paths)
}

function describeTags(operations: readonly Operation[]) {
  const scopes = new Map<string, Set<string>>()
  for (const operation of operations) {
    const known = scopes.get(tagOf(operation)) ?? new Set()
    scopes.set(tagOf(operation), known)
    for (const scope of operation.scopes) known.add(scope)
  }
  return [...scopes].map(([name, needed]) => ({ name, description: `Scopes: ${listed([...needed])}.` }))
}

function listed(scopes: readonly string[]): string {
  return scopes.length === 0
    ? 'none beyond those that follow from the request'
    : scopes.map(scope => `\`${scope}\``).join(', ')
}
