import { Refusal } from '../errors/index.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import type { JsonSchema } from '../schema/index.ts'
import { decideUpsert } from '../write/decide.ts'
import { needRecordWrite } from '../write/record-needs.ts'
import { basePath, recordSchema } from './ability.ts'
import { Followers } from './nested/follow.ts'
import { bodyOf, decisionOf, writing } from './write-record.ts'

/** `POST /<kind>/upsert`: create (201) or update (200) by the application's own key. */
export function upsert(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.upsert`,
    method: 'POST',
    path: `${basePath(resource)}/upsert`,
    summary: `Create or update a ${resource.kind} by externalId`,
    description: 'An existing record needs its version as expectedVersion (428 without it).',
    success: [200, 201],
    body: resource.input.upsert,
    answer: { data: recordSchema(resource), meta: createdMeta },
    async execute(request, services) {
      const input = bodyOf(request)
      const followers = new Followers(resource, services.nestedResources)
      return mutate(
        {
          needs(needs, directory) {
            followers.begin(directory)
            needRecordWrite(needs, resource, input, directory, services.resources)
          },
          further: (needs, work) => followers.load(needs, work, [{ input }]),
          decide(work, write) {
            const decided = decideUpsert(resource, input, '', work, write)
            const step = followers.follow(decided, '', work, write)
            if (step instanceof Refusal) return step
            return decisionOf(resource, step, work, write, { created: step.status === 201 })
          },
        },
        request,
        services,
      )
    },
  }
}

const createdMeta: JsonSchema = {
  title: 'UpsertMeta',
  type: 'object',
  required: ['created'],
  properties: { created: { type: 'boolean' } },
}
