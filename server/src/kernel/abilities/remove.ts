import { defineOperation } from '../define-operation.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import { uuidSchema } from '../schema/index.ts'
import { basePath, deleteScopes } from './ability.ts'
import { refusalsOfPath } from './refusals.ts'
import { removal } from './removal/plan.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'

/**
 * `DELETE /<kind>/:id?expectedVersion=`: removes the record with its links, and takes it out of the records that refer
 * to it, which are changed by that; its keys become tombstones (contract sections 7 and 11).
 */
export function remove(resource: Resource): Operation {
  const input = removalInput(`${resource.title}Delete`)
  return defineOperation({
    id: `${resource.plural}.remove`,
    method: 'DELETE',
    path: `${basePath(resource)}/{id}`,
    addresses: { resource, parameter: 'id' },
    summary: `Delete a ${resource.kind}`,
    scopes: deleteScopes(resource),
    query: input.query,
    body: input.body,
    inspect: inspectRemoval,
    answer: { data: deletedSchema },
    refuses: [...refusalsOfPath(resource), 'version_conflict', 'unprocessable'],
    execute(request, services) {
      const { expectedVersion } = removalOf(request)
      const { id = '' } = request.path
      const answer = () => ({ status: 200, data: { id, deleted: true }, meta: {}, shown: [] })
      return mutate(
        removal({ resource, id, mode: 'full', expectedVersion }, services, answer),
        request.writer,
        services,
      )
    },
  })
}

export const deletedSchema = {
  title: 'Deleted',
  type: 'object',
  required: ['id', 'deleted'],
  properties: { id: uuidSchema, deleted: { type: 'boolean', description: 'Always true.', example: true } },
}
