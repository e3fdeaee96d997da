import { isScope, type Scope } from '../auth/index.ts'
import type { Resource } from '../record/resource.ts'
import type { JsonSchema } from '../schema/index.ts'

/** The path of the collection below the prefix of the surface: `/contacts`. */
export function basePath(resource: Resource): string {
  return `/${resource.plural}`
}

export function readScopes(resource: Resource): Scope[] {
  return [resource.scopes.read].filter(isScope)
}

export function writeScopes(resource: Resource): Scope[] {
  return [resource.scopes.write].filter(isScope)
}

export function deleteScopes(resource: Resource): Scope[] {
  return [resource.scopes.delete].filter(isScope)
}

/** Reference to the resource's component in the OpenAPI document. */
export function recordSchema(resource: Resource): JsonSchema {
  return { $ref: `#/components/schemas/${resource.title}` }
}
