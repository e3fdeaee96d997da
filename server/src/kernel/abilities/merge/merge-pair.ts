import { notFound, Refusal, refuse } from '../../errors/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { childKinds, isAnonymized, looseKinds, type RecordState, type Resource } from '../../record/index.ts'
import type { Reference } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { allKeysOf } from '../../write/load.ts'
import type { Needs } from '../../write/needs.ts'
import { firstRefusal } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { holderCount, needReferrers, type Referrer, referrersOf, twinsOf } from '../referrers/index.ts'
import type { OwnParts, Pair } from './merge-plan.ts'
import { mergedDetails } from './merged-trail.ts'
import { type Counting, movedParts, partCount } from './moved-parts.ts'

/** One side of a merge: the reference in the request, and its path there. */
export interface AskedSide {
  readonly reference: Reference
  readonly path: string
}

/** The needs of a merge: both records with their keys and nested records, and everything that refers to the secondary. */
export interface PairNeeds extends Pick<Mutation<unknown>, 'needs'> {
  readonly referrers: readonly Referrer[]
  /** What belongs to the two records. */
  ownIn(pair: Pair, work: WorkingSet): OwnParts
  /** Gates 10 and 11: the two records, or why one of them cannot be merged. */
  pairIn(work: WorkingSet): Pair | Refusal
}

/** The needs of a merge. With `counts`, also the whole number of records that refer or belong to each side, which only a preview shows. */
export function needPair(
  resource: Resource,
  primary: AskedSide,
  secondary: AskedSide,
  { resources, nestedResources }: Services,
  counts: boolean,
): PairNeeds {
  const referrers = referrersOf(resource, resources, nestedResources)
  const loose = looseKinds(resource, nestedResources)
  const kinds = childKinds(resource, nestedResources).filter(kind => !loose.includes(kind))
  const counting: Counting = counts ? 'all' : 'as far as needed'
  const gather = (needs: Needs, work: WorkingSet, one: string, other: string) => {
    needReferrers(needs, work, referrers, other, one)
    for (const referrer of counts ? referrers : [])
      needs.toLoad(holderCount(referrer, one), holderCount(referrer, other), ...twinsOf(referrer, other, one))
    for (const id of [one, other]) {
      needs.toLoad(allKeysOf(id))
      for (const kind of kinds) needs.toLoadNestedIn(kind, id)
      needs.toLoad(...loose.map(kind => partCount(kind, id, counting)))
    }
  }
  return {
    referrers,
    ownIn: ({ primary: one, secondary: other }, work) => ({
      kinds,
      moved: loose.map(kind => movedParts(kind, one, other, counting, work)),
    }),
    needs(needs, work) {
      const [one, other] = [primary.reference, secondary.reference]
      needs.toChange(resource, one)
      needs.toChange(resource, other)
      for (const reference of [one, other])
        if ('id' in reference) needs.toLoad(mergedDetails(resource, reference.id.toLowerCase()))
      if ('id' in one && 'id' in other) return gather(needs, work, one.id.toLowerCase(), other.id.toLowerCase())
      // References by key have no ids before the keys are loaded.
      const pair = pairOf(resource, primary, secondary, work)
      if (!(pair instanceof Refusal)) gather(needs, work, pair.primary.id, pair.secondary.id)
    },
    pairIn: work => pairOf(resource, primary, secondary, work),
  }
}

function pairOf(resource: Resource, primary: AskedSide, secondary: AskedSide, work: WorkingSet): Pair | Refusal {
  const [one, other] = [recordOf(resource, primary, work), recordOf(resource, secondary, work)]
  if (one instanceof Refusal) return other instanceof Refusal ? firstRefusal([one, other]) : one
  if (other instanceof Refusal) return other
  return { primary: one, secondary: other }
}

function recordOf(resource: Resource, { reference, path }: AskedSide, work: WorkingSet): RecordState | Refusal {
  const { kind } = resource
  const id = work.resolve(kind, reference, path)
  if (id instanceof Refusal) {
    if (id.status !== 404 || !('id' in reference)) return id
    return notFound(path, work.read(mergedDetails(resource, reference.id.toLowerCase())))
  }
  const record = work.record(kind, id)
  if (record === null) return notFound(path)
  return isAnonymized(resource, record) ? refuse('resource_deleted', { path }) : record
}
