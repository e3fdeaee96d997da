import { Refusal } from '../errors/index.ts'
import { mutate } from '../mutation.ts'
import type { Operation, Request } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import type { Services } from '../services.ts'
import { decideCreate } from '../write/decide.ts'
import { needNewRecord } from '../write/record-needs.ts'
import { basePath } from './ability.ts'
import { bodyOf, decisionOf, writing } from './write-record.ts'

/** `POST /<kind>`: 201 with the record. */
export function create(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.create`,
    method: 'POST',
    path: basePath(resource),
    summary: `Create a ${resource.kind}`,
    success: [201],
    body: resource.input.create,
    execute: (request, services) => createRecord(resource, request, services),
  }
}

/** A create asks for its key alone; the record that holds it already is loaded only to name its version. */
function createRecord(resource: Resource, request: Request, services: Services) {
  const input = bodyOf(request)
  let conflictLoaded = false
  return mutate(
    {
      needs(needs, directory) {
        conflictLoaded = false
        needNewRecord(needs, resource, input, directory, services.resources)
      },
      further(needs, work) {
        const mapping = typeof input.externalId === 'string' ? work.key(resource.kind, input.externalId) : null
        if (conflictLoaded || mapping?.state !== 'live') return false
        conflictLoaded = true
        // The key is asked again: while this waits for the row, its holder may be removed.
        work.forgetKey(resource.kind, String(input.externalId))
        needs.toChange(resource, { id: mapping.resourceId })
        needs.toChange(resource, { externalId: String(input.externalId) })
        return true
      },
      decide(work, write) {
        const step = decideCreate(resource, input, '', work, write)
        return step instanceof Refusal ? step : decisionOf(resource, step, work, write, {})
      },
    },
    request,
    services,
  )
}
