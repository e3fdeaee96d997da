import type { Nested, NestedStep, RecordState, WriteContext } from '../../record/index.ts'
import { ranksBetween } from '../../schema/index.ts'
import { raised } from '../../write/decide.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { byPosition } from '../nested/nested-answer.ts'
import { rankOf } from '../nested/nested-place.ts'
import { type Blocker, filledFrom, listTooLong } from '../referrers/index.ts'

/** The nested records of one kind after a merge of the records that they belong to. */
export interface MergedChildren {
  /** The name in previews and answers: `contacts` for the links of a company. */
  readonly name: string
  readonly primary: number
  readonly secondary: number
  readonly merged: number
  readonly steps: readonly NestedStep[]
  readonly blockers: readonly Blocker[]
}

/**
 * Pure: the nested records of the secondary move to the primary, after its own. Two links to the same record become one: the primary's
 * link stays, and takes over values that only the other link has.
 */
export function mergedChildren(
  kind: Nested,
  primary: RecordState,
  secondary: RecordState,
  work: WorkingSet,
  write: WriteContext,
): MergedChildren {
  const { member, uniqueReference: unique } = kind.parent
  const childrenOf = ({ id }: RecordState) => work.nestedIn(kind, id).sort(byPosition)
  const [own, added] = [childrenOf(primary), childrenOf(secondary)]
  const steps: NestedStep[] = []
  const ranks = ranksBetween(rankOf(own.at(-1)?.rank), null, added.length)
  let merged = own.length
  for (const child of added) {
    const twin = unique === undefined ? undefined : own.find(each => each[unique] === child[unique])
    if (twin === undefined) {
      const place = kind.parent.isPlaced ? { position: merged, rank: ranks[merged - own.length] } : {}
      merged += 1
      const after = raised(child, { ...child, [member]: primary.id, ...place }, write)
      steps.push({ resource: kind, before: child, after })
      continue
    }
    const filled = filledFrom(kind, twin, child)
    if (filled !== twin) steps.push({ resource: kind, before: twin, after: raised(twin, filled, write) })
    steps.push({ resource: kind, before: child, after: null })
  }
  const { most } = kind
  const blockers = most !== null && merged > most ? [listTooLong(kind.plural, merged, most)] : []
  return { name: kind.plural, primary: own.length, secondary: added.length, merged, steps, blockers }
}
