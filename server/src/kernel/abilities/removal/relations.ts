import { childKinds, type Kinds, looseKinds, type Nested, type Resource } from '../../record/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { type Referrer, referrersOf } from '../referrers/index.ts'

/** All declared connections between records of a resource and other records. */
export interface Relations {
  readonly referrers: readonly Referrer[]
  /** Links that belong to the record and are removed with it. The linked records keep their versions. */
  readonly ownLinks: readonly Nested[]
  /** Its activities and files, which are removed with it and with the person that it is about. */
  readonly ownParts: readonly Nested[]
}

export function relationsOf(resource: Resource, { resources, nestedResources }: Kinds): Relations {
  return {
    referrers: referrersOf(resource, resources, nestedResources),
    ownLinks: childKinds(resource, nestedResources).filter(({ parent }) => parent.uniqueReference !== undefined),
    ownParts: looseKinds(resource, nestedResources),
  }
}

/** The names under which the answer of a removal counts unlinked records. Nested records are counted by their record at the top. */
export function unlinkedNames({ referrers, ownLinks }: Relations): string[] {
  const records = referrers.filter(({ holder, isLink }) => holder.parent === null || isLink)
  return [...records.map(({ name }) => name), ...ownLinks.map(({ plural }) => plural)]
}

/** Ids of the records that the record's own links lead to, by the name of the links. */
export function idsLinkedTo({ ownLinks }: Relations, id: string, work: WorkingSet): [string, string[]][] {
  return ownLinks.map(kind => {
    const ids = work.nestedIn(kind, id).map(link => String(link[kind.parent.uniqueReference ?? '']))
    return [kind.plural, ids.toSorted()]
  })
}
