import type { WorkingSet } from '../../write/working-set.ts'
import { raised } from '../decide.ts'
import type { Nested } from '../nested/define.ts'
import { type Blocker, filledFrom, listTooLong } from '../referrers/index.ts'
import type { NestedStep, RecordState, WriteContext } from '../resource.ts'

/** What becomes of the nested records of one kind when the records that they belong to are merged. */
export interface MergedChildren {
  /** How previews and answers call them: `contacts` of a company. */
  readonly name: string
  readonly primary: number
  readonly secondary: number
  readonly merged: number
  readonly steps: readonly NestedStep[]
  readonly blockers: readonly Blocker[]
}

/**
 * Pure: the secondary's go to the primary, behind its own. Of two links to one record the primary's stays, with what
 * only the other one says.
 */
export function mergedChildren(
  kind: Nested,
  primary: RecordState,
  secondary: RecordState,
  work: WorkingSet,
  write: WriteContext,
): MergedChildren {
  const { member, uniqueReference: unique } = kind.parent
  const [own, further] = [primary, secondary].map(({ id }) => work.nestedIn(kind, id).sort(inOrder))
  const mine = own ?? []
  const steps: NestedStep[] = []
  let last = Math.max(-1, ...mine.map(({ position }) => (typeof position === 'number' ? position : -1)))
  let merged = mine.length
  for (const child of further ?? []) {
    const twin = unique === undefined ? undefined : mine.find(each => each[unique] === child[unique])
    if (twin === undefined) {
      last += 1
      merged += 1
      const place = 'position' in kind.fields ? { position: last } : {}
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
  const secondaryCount = further?.length ?? 0
  return { name: kind.plural, primary: mine.length, secondary: secondaryCount, merged, steps, blockers }
}

function inOrder(one: RecordState, other: RecordState): number {
  const difference = Number(one.position ?? 0) - Number(other.position ?? 0)
  return difference === 0 ? (one.id < other.id ? -1 : 1) : difference
}
