import {
  Configurations,
  changeAll,
  creating,
  malformed,
  mutate,
  type RecordChange,
  Refusal,
  type Resource,
  removing,
  systemClock,
  updating,
} from '../kernel/index.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { type Administration, administrationActor } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { controlsOf, expectAllowed } from './controls.ts'
import { given } from './define-setting.ts'
import type { Administered, Named, Wording } from './setting.ts'

/**
 * The administration of a kind of records that the API only reads, such as channels (contract section 16). Every operation throws an
 * `AdministrationError` for an unknown record and for an invalid value.
 */
export function administeredRecord(resource: Resource, wording: Wording): Administered {
  const kinds = { resources: [resource], nestedResources: [] }
  const controls = controlsOf(resource.fields)
  const servicesOf = ({ database, secret, clock = systemClock }: Administration) => ({
    database,
    secret,
    clock,
    ...kinds,
    configurations: new Configurations(database),
  })

  async function change(administration: Administration, organizationId: string, asked: RecordChange): Promise<Named> {
    const actor = administrationActor(administration, organizationId)
    const [step] = await changeAll([asked], actor, servicesOf(administration))
    if (step === undefined) throw new Error('the change has not been decided')
    if (step instanceof Refusal) throw new AdministrationError(step.message, step)
    return { id: step.record.id }
  }

  return {
    ...wording,
    kind: resource,
    controls,

    async create(administration, { organizationId, ...rest }) {
      const input = given(rest)
      expectAllowed(administration, controls.create, input)
      return change(administration, organizationId, creating(resource, checked(resource.input.create, input), kinds))
    },

    async set(administration, { organizationId, id, ...rest }) {
      const input = given(rest)
      expectAllowed(administration, controls.set, input)
      if (Object.keys(input).length === 0) throw new AdministrationError('nothing to change was given')
      const changed = checked(resource.input.patch, input)
      return change(administration, organizationId, updating(resource, id.toLowerCase(), changed, kinds))
    },

    async remove(administration, { organizationId, id }) {
      const removal = removing(resource, id.toLowerCase(), null, kinds)
      const outcome = await mutate(
        removal,
        administrationActor(administration, organizationId),
        servicesOf(administration),
      )
      if (outcome instanceof Refusal) throw new AdministrationError(outcome.message, outcome)
      return { id: id.toLowerCase() }
    },
  }
}

function checked(body: Resource['input']['create'], input: JsonObject): JsonObject {
  const { value, issues } = body.parse(input)
  if (issues.length > 0) {
    const refusal = malformed(issues)
    throw new AdministrationError(refusal.message, refusal)
  }
  return isObject(value) ? value : {}
}
