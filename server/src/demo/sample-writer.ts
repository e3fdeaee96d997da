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
import type { Administration } from '../settings/index.ts'
import { demoApplicationId, demoOrganizationId } from './identity.ts'

/**
 * Writes sample records through the ordinary write path, as if the application of the demo had sent them: validated by their declaration,
 * with versions, audit entries and change events.
 */
export class SampleWriter {
  readonly #services: ReturnType<typeof servicesOf>

  constructor(administration: Administration) {
    this.#services = servicesOf(administration)
  }

  /** Creates records of one kind in their order, and resolves to their ids. Throws if one is refused. */
  async upsert(plural: string, records: readonly JsonObject[]): Promise<readonly string[]> {
    const resource = resourceOf(plural)
    const changes = records.map(record =>
      upserting(resource, checked(resource, record), { resources, nestedResources }),
    )
    const steps = await changeAll(changes, actor(), this.#services)
    return steps.map(step => {
      if (step instanceof Refusal) throw refused(plural, step)
      return step.record.id
    })
  }

  /** Sets the tags of a record that was just created. Throws if they are refused. */
  async setTags(plural: string, id: string, tagIds: readonly string[]): Promise<void> {
    const request = { id, expectedVersion: 1, references: tagIds.map(tagId => ({ id: tagId })) }
    const replacement = tagReplacement(resourceOf(plural), request, demoApplicationId)
    const outcome = await mutate(replacement, actor(), this.#services)
    if (outcome instanceof Refusal) throw refused(plural, outcome)
  }
}

function servicesOf({ database, secret }: Administration) {
  return { database, secret, clock: systemClock, configurations: new Configurations(database), resources }
}

function actor(): Actor {
  const address = { organizationId: demoOrganizationId, applicationId: demoApplicationId }
  return Actor.of({ ...address, author: byApplication, managesCustomFields: true })
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
