import { childKinds, type Kinds, type Nested } from '../../record/define-nested.ts'
import type { Resource } from '../../record/resource.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { type Referrer, referrersOf } from '../referrers/index.ts'

/** Everything declared to connect records of a resource with others. */
export interface Relations {
  readonly referrers: readonly Referrer[]
  /** Links of the record's own, which go with it: the records that they lead to keep their versions. */
  readonly ownLinks: readonly Nested[]
}

export function relationsOf(resource: Resource, { resources, nestedResources }: Kinds): Relations {
  return {
    referrers: referrersOf(resource, resources, nestedResources),
    ownLinks: childKinds(resource, nestedResources).filter(({ parent }) => parent.uniqueReference !== undefined),
  }
}

/** Names of what a removal unlinks from the record, as its answer counts them: records, not what is nested in them. */
export function unlinkedNames({ referrers, ownLinks }: Relations): string[] {
  const records = referrers.filter(({ holder, isLink }) => holder.parent === null || isLink)
  return [...records.map(({ name }) => name), ...ownLinks.map(({ plural }) => plural)]
}

/** Ids of the records that the record's own links lead to, by what the links are called. */
export function linkedIds({ ownLinks }: Relations, id: string, work: WorkingSet): [string, string[]][] {
  return ownLinks.map(kind => {
    const ids = work.nestedIn(kind, id).map(link => String(link[kind.parent.uniqueReference ?? '']))
    return [kind.plural, ids.toSorted()]
  })
}
