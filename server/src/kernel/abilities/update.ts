import { defineOperation } from '../define-operation.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import { updating } from '../write/record-change.ts'
import { basePath } from './ability.ts'
import { bodyOf, single, writing } from './write-record.ts'

/** `PATCH /<kind>/:id`: merge-patch with compare-and-set; 200 with the record, unchanged when nothing changes. */
export function update(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${resource.plural}.update`,
    method: 'PATCH',
    path: `${basePath(resource)}/{id}`,
    addresses: { resource, parameter: 'id' },
    summary: `Update a ${resource.kind}`,
    description: 'Absent members stay as they are, null clears, arrays replace. A change of nothing keeps the version.',
    body: resource.input.patch,
    execute(request, services) {
      const change = updating(resource, request.path.id ?? '', bodyOf(request), services)
      return mutate(single(change), request.writer, services)
    },
  })
}
