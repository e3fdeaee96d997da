import { notFound, Refusal, versionConflict } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import { type Mutation, mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import { uuidSchema } from '../schema/index.ts'
import { basePath, deleteScopes } from './ability.ts'
import { mostAffected, ownerIds, unlink } from './erase.ts'
import { findReferrers, referrersOf } from './referrers.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'
import type { Resource } from './resource.ts'

/**
 * `DELETE /<kind>/:id?expectedVersion=`: removes the record with its links, and takes it out of the records that refer
 * to it, which are changed by that; its keys become tombstones (contract sections 7 and 11).
 */
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
      return mutate(removeRecord(resource, id, expectedVersion, services.resources), request, services)
    },
  }
}

function removeRecord(
  resource: Resource,
  id: string,
  expectedVersion: unknown,
  resources: readonly Resource[],
): Mutation {
  const referrers = referrersOf(resource, resources)
  let followed = false
  return {
    needs(needs) {
      followed = false
      needs.toChange(resource, { id })
      needs.allKeysOf.add(id)
      needs.toLoad(referrers.map(referrer => findReferrers(referrer, id)))
    },
    further(needs, work) {
      if (followed) return false
      followed = true
      const owners = referrers.map(referrer => ({ referrer, ids: ownerIds(referrer, work) }))
      // Too many: nothing more is loaded, the decision refuses.
      if (owners.reduce((count, { ids }) => count + ids.length, 0) > mostAffected) return false
      for (const { referrer, ids } of owners) for (const owner of ids) needs.toChange(referrer.resource, { id: owner })
      return owners.some(({ ids }) => ids.length > 0)
    },
    decide(work, write) {
      const before = work.record(resource.kind, id)
      if (before === null) return notFound()
      if (before.version !== expectedVersion) return versionConflict(before.version)
      const unlinked = unlink(id, referrers, work, write)
      if (unlinked instanceof Refusal) return unlinked
      work.apply({ resource, before, after: null })
      return { status: 200, data: { id, deleted: true }, meta: {}, personIds: [] }
    },
  }
}

export const deletedSchema = {
  title: 'Deleted',
  type: 'object',
  required: ['id', 'deleted'],
  properties: { id: uuidSchema, deleted: { const: true } },
}
