import type { Declared } from './declared.ts'
import type { Operation } from './operation.ts'
import { type Kinds, topOf } from './record/define-nested.ts'
import { isSynchronized } from './record/record-head.ts'
import type { Resource } from './record/resource.ts'
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

/** Verbs of events besides those that all kinds of records have, by what the events are about: `{ deal: ['moved'] }`. */
export type FurtherEvents = Readonly<Record<string, readonly string[]>>

/** Everything that events can be about, from what all modules declare. */
export function eventSourcesOf(
  { resources, nestedResources, jobTypes, operations }: Declared & { readonly operations: readonly Operation[] },
  further: readonly FurtherEvents[],
): EventSource[] {
  const ofRecords = resources.filter(isSynchronized).map(resource => {
    const { kind } = resource
    const verbs = [...verbsOf(resource, operations), ...further.flatMap(events => events[kind] ?? [])]
    return {
      resourceType: kind,
      kinds: verbs.map(verb => `${kind}.${verb}`),
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
  return [
    'created',
    'updated',
    'deleted',
    ...(operations.some(({ id }) => id === `${plural}.mergeCommit`) ? ['merged'] : []),
    ...(roles.anonymizedAt === undefined ? [] : ['anonymized']),
  ]
}

/** Its fields, and its parts: a change of these, or that they were moved here, is a change of the record. */
function fieldsOf(resource: Resource, { nestedResources }: Kinds): string[] {
  const parts = nestedResources.filter(nested => topOf(nested) === resource)
  return [...new Set([...resource.codec.shared.map(({ as }) => as), ...parts.map(({ parent }) => parent.part)])]
}
