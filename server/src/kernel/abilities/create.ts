import { defineOperation } from '../define-operation.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import { creating } from '../write/record-change.ts'
import { basePath } from './ability.ts'
import { bodyOf, single, writing } from './write-record.ts'

/** `POST /<kind>`: 201 with the record. */
export function create(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${resource.plural}.create`,
    method: 'POST',
    path: basePath(resource),
    summary: `Create a ${resource.kind}`,
    success: [201],
    body: resource.input.create,
    execute(request, services) {
      const change = creating(resource, bodyOf(request), services)
      return mutate(single(change), request.writer, services)
    },
  })
}
