import { isScope, type Scope } from '../auth/index.ts'
import type { Operation, Request } from '../operation.ts'
import type { Resource } from '../record/index.ts'
import type { JsonSchema } from '../schema/index.ts'

/** The first part of the ids of its operations: `bulkJobs`. */
export function operationGroup({ plural }: Resource): string {
  return plural.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())
}

/** `a contact`, `an agent` */
export function aRecord(resource: Resource): string {
  return `${/^[aeiou]/u.test(resource.kind) ? 'an' : 'a'} ${nameOfKind(resource)}`
}

/** The kind in words: `deal item`, `AI operator` */
export function nameOfKind({ kind }: Resource): string {
  return kind.replaceAll('_', ' ').replace(/\b(ai|api)\b/u, word => word.toUpperCase())
}

/** The path of one record, or of an action on it: `/api/v1/crm/contacts/{id}/tags`. */
export function ofRecord(resource: Resource, tail = ''): Pick<Operation, 'path' | 'addresses'> {
  return { path: `${resource.path}/{id}${tail}`, addresses: { resource, parameter: 'id' } }
}

/** The id of the record that a request addresses. */
export function addressedId({ operation, path }: Pick<Request, 'operation' | 'path'>): string {
  const id = operation.addresses && path[operation.addresses.parameter]
  if (id === undefined) throw new Error(`${operation.id} addresses no record`)
  return id
}

/** The scope that reads records of this kind; none for settings, which have no routes. */
export function readScopes(resource: Resource): Scope[] {
  return [resource.scopes.read].filter(isScope)
}

/** The scope that creates and changes records of this kind, as a list like `readScopes`. */
export function writeScopes(resource: Resource): Scope[] {
  return [resource.scopes.write].filter(isScope)
}

/** The scope that removes and merges records of this kind, as a list like `readScopes`. */
export function deleteScopes(resource: Resource): Scope[] {
  return [resource.scopes.delete].filter(isScope)
}

/** Reference to the resource's component in the OpenAPI document. */
export function recordSchema(resource: Resource): JsonSchema {
  return { $ref: `#/components/schemas/${resource.title}` }
}
