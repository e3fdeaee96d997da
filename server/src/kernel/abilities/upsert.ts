import { defineOperation } from '../define-operation.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import type { JsonSchema } from '../schema/index.ts'
import { upserting } from '../write/record-change.ts'
import { basePath, recordSchema } from './ability.ts'
import { bodyOf, single, writing } from './write-record.ts'

/** `POST /<kind>/upsert`: create (201) or update (200) by the application's own key. */
export function upsert(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${resource.plural}.upsert`,
    method: 'POST',
    path: `${basePath(resource)}/upsert`,
    summary: `Create or update a ${resource.kind} by externalId`,
    description: 'An existing record needs its version as expectedVersion (428 without it).',
    success: [200, 201],
    body: resource.input.upsert,
    answer: { data: recordSchema(resource), meta: createdMeta },
    execute(request, services) {
      const change = upserting(resource, bodyOf(request), services)
      return mutate(
        single(change, ({ status }) => ({ created: status === 201 })),
        request.writer,
        services,
      )
    },
  })
}

const createdMeta: JsonSchema = {
  title: 'UpsertMeta',
  type: 'object',
  required: ['created'],
  properties: { created: { type: 'boolean' } },
}
