import type { Declared } from './declared.ts'
import type { Operation } from './operation.ts'
import { type Kinds, type Resource, topOf } from './record/index.ts'
import type { FieldFilter } from './schema/index.ts'

/** What events in the change feed are about, and what can be asked of them. */
export interface EventSource {
  /** `contact` */
  readonly resourceType: string
  /** `contact.created`, `contact.merged` */
  readonly kinds: readonly string[]
  /** What `changedFields` of its events can name. */
  readonly fields: readonly string[]
  /** The filters of the list of its records, by their names; none if it is no kind of records. */
  readonly filters: ReadonlyMap<string, FieldFilter>
}

/**
 * Everything that events can be about, from what all modules declare. `derived` are kinds of events that are not in the feed and follow from
 * those that are.
 */
export function eventSourcesOf(
  { resources, nestedResources, jobTypes, operations }: Declared & { readonly operations: readonly Operation[] },
  derived: readonly string[],
): EventSource[] {
  const ofRecords = resources
    .filter(each => each.isSynchronized)
    .map(resource => {
      const { kind } = resource
      return {
        resourceType: kind,
        kinds: [
          ...verbsOf(resource, operations).map(verb => `${kind}.${verb}`),
          ...derived.filter(each => each.startsWith(`${kind}.`)),
        ],
        fields: fieldsOf(resource, { resources, nestedResources }),
        filters: resource.filters,
      }
    })
  const ofJobs = jobTypes.map(({ type }) => ({
    resourceType: type,
    kinds: ['completed', 'failed', 'canceled'].map(verb => `${type}.${verb}`),
    fields: [],
    filters: new Map(),
  }))
  return [...ofRecords, ...ofJobs]
}

function verbsOf({ plural, roles }: Resource, operations: readonly Operation[]): string[] {
  const has = (verb: string) => operations.some(({ id }) => id === `${plural}.${verb}`)
  return [
    'created',
    'updated',
    'deleted',
    ...(has('mergeCommit') ? ['merged'] : []),
    ...(roles.anonymizedAt === undefined ? [] : ['anonymized']),
    ...(has('move') ? ['moved'] : []),
  ]
}

/** Its fields, and its parts: a change of these, or that they were moved here, is a change of the record. */
function fieldsOf(resource: Resource, { nestedResources }: Kinds): string[] {
  const parts = nestedResources.filter(nested => topOf(nested) === resource)
  return [...new Set([...resource.codec.shared.map(({ as }) => as), ...parts.map(({ parent }) => parent.part)])]
}
