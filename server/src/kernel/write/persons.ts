import type { RecordState, Resource } from '../record/resource.ts'

/** A record whose data stands in an answer. */
export interface Shown {
  readonly resource: Resource
  readonly record: RecordState
}

/** The persons that records tell of: a person's own record, and whom a nested record says something personal of. */
export function personsIn(shown: readonly Shown[]): string[] {
  const ids = shown.flatMap(({ resource, record }) => {
    if (resource.personal) return [record.id]
    if (resource.parent === null || !tellsOfPersons(resource)) return []
    return resource.references.flatMap(({ name }) => [record[name]].flat())
  })
  return [...new Set(ids.filter(id => typeof id === 'string'))]
}

function tellsOfPersons({ fields }: Resource): boolean {
  return Object.values(fields).some(({ personal }) => personal)
}
