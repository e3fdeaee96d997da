import type { SampleWriter } from '../demo/index.ts'
import {
  Actor,
  byApplication,
  Configurations,
  changeAll,
  mutate,
  Refusal,
  type Resource,
  systemClock,
  tagReplacement,
  upserting,
} from '../kernel/index.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { nestedResources, resources } from '../modules.ts'
import type { Installation } from './installation.ts'

/** Creates a writer of sample records, which writes them as if an application of the organization had sent them. */
export function sampleWriter(
  { database, secret }: Pick<Installation, 'database' | 'secret'>,
  organizationId: string,
  applicationId: string,
): SampleWriter {
  const services = { database, secret, clock: systemClock, configurations: new Configurations(database), resources }
  const actor = () => Actor.of({ organizationId, author: byApplication, applicationId, managesCustomFields: true })
  return {
    async upsert(plural, records) {
      const resource = resourceOf(plural)
      const changes = records.map(record =>
        upserting(resource, checked(resource, record), { resources, nestedResources }),
      )
      const steps = await changeAll(changes, actor(), services)
      return steps.map(step => {
        if (step instanceof Refusal) throw refused(plural, step)
        return step.record.id
      })
    },
    async setTags(plural, id, tagIds) {
      const request = { id, expectedVersion: 1, references: tagIds.map(tagId => ({ id: tagId })) }
      const outcome = await mutate(tagReplacement(resourceOf(plural), request, applicationId), actor(), services)
      if (outcome instanceof Refusal) throw refused(plural, outcome)
    },
  }
}

function resourceOf(plural: string): Resource {
  const resource = resources.find(each => each.plural === plural)
  if (resource === undefined) throw new Error(`there are no ${plural}`)
  return resource
}

/** The sample record in the form that decisions need; throws if it is not valid. */
function checked(resource: Resource, record: JsonObject): JsonObject {
  const { value, issues } = resource.input.upsert.parse(record)
  const [issue] = issues
  if (issue !== undefined)
    throw new Error(`the sample data of ${resource.plural} is wrong: ${issue.path} ${issue.message}`)
  return isObject(value) ? value : {}
}

function refused(plural: string, { status, code, message }: Refusal): Error {
  return new Error(`the sample data of ${plural} was refused with ${status}: ${code}: ${message}`)
}
