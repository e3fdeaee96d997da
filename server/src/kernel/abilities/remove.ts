import { defineOperation, type Operation } from '../operation.ts'
import type { Kinds, Resource } from '../record/index.ts'
import { objectSchema, uuidSchema } from '../schema/index.ts'
import { mutate } from '../write.ts'
import { addressedId, deleteScopes, ofRecord } from './ability.ts'
import { refusalsOfPath, refusalsOfRemoval } from './refusals.ts'
import { removal } from './removal/removal-plan.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'

/**
 * `DELETE /<kind>/:id?expectedVersion=`: removes the record with its links, and removes it from the records that refer
 * to it, whose versions rise. Its keys become tombstones (contract sections 7 and 11).
 */
export function remove(resource: Resource, kinds: Kinds): Operation {
  const input = removalInput(`${resource.title}Delete`)
  return defineOperation({
    id: `${resource.plural}.remove`,
    method: 'DELETE',
    ...ofRecord(resource),
    summary: `Delete a ${resource.kind}`,
    scopes: deleteScopes(resource),
    needsFreshSignIn: resource.personal,
    query: input.query,
    body: input.body,
    inspect: inspectRemoval,
    answer: { data: deletedSchema },
    refuses: [...refusalsOfPath(resource), ...refusalsOfRemoval(resource, kinds)],
    execute(request, services) {
      const { expectedVersion } = removalOf(request)
      const id = addressedId(request)
      const mutation = removal({ resource, id, mode: 'full', expectedVersion }, services)
      return mutate(mutation, request.actor, services, () => ({ status: 200, data: { id, deleted: true } }))
    },
  })
}

export const deletedSchema = objectSchema('Deleted', {
  id: uuidSchema,
  deleted: { type: 'boolean', description: 'Always true.', example: true },
})
