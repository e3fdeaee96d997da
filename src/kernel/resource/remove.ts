import { notFound, versionConflict } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import { uuidSchema } from '../schema/index.ts'
import { basePath, deleteScopes } from './ability.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'
import type { Resource } from './resource.ts'

/** `DELETE /<kind>/:id?expectedVersion=`: removes the record with its links; its keys become tombstones. */
export function remove(resource: Resource): Operation {
  const input = removalInput(`${resource.title}Delete`)
  return {
    id: `${resource.plural}.remove`,
    method: 'DELETE',
    path: `${basePath(resource)}/{id}`,
    summary: `Delete a ${resource.kind}`,
    scopes: deleteScopes(resource),
    success: [200],
    idempotent: true,
    bodyLimit: limits.jsonBodyBytes,
    query: input.query,
    body: input.body,
    inspect: inspectRemoval,
    answer: { data: deletedSchema, meta: { type: 'object' } },
    project: data => ({ data, redacted: [] }),
    async execute(request, services) {
      const { expectedVersion } = removalOf(request)
      const { id = '' } = request.path
      return mutate(
        {
          needs(needs) {
            needs.toChange(resource, { id })
            needs.allKeysOf.add(id)
          },
          decide(work) {
            const before = work.record(resource.kind, id)
            if (before === null) return notFound()
            if (before.version !== expectedVersion) return versionConflict(before.version)
            work.apply({ resource, before, after: null })
            return { status: 200, data: { id, deleted: true }, meta: {}, personIds: [] }
          },
        },
        request,
        services,
      )
    },
  }
}

export const deletedSchema = {
  title: 'Deleted',
  type: 'object',
  required: ['id', 'deleted'],
  properties: { id: uuidSchema, deleted: { const: true } },
}
