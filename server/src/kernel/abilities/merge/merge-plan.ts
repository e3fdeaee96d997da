import type { Nested, RecordState, Resource, WriteContext } from '../../record/index.ts'
import { raised } from '../../write/decide.ts'
import { mostAffected } from '../../write/needs.ts'
import type { Effect, WorkingSet } from '../../write/working-set.ts'
import {
  type Blocker,
  countAffected,
  listTooLong,
  type Referrer,
  relink,
  tooManyLinks,
  withReplaced,
} from '../referrers/index.ts'
import { type MergedChildren, mergedChildren } from './merged-children.ts'
import { type MergedPart, mergedParts, mergedValues } from './merged-fields.ts'
import { type MergedKeys, mergedKeys } from './merged-keys.ts'
import type { MovedParts } from './moved-parts.ts'

/** The two records of a merge. The primary stays and receives the data of the secondary; the secondary is removed. */
export interface Pair {
  readonly primary: RecordState
  readonly secondary: RecordState
}

/** What a merge does. The preview shows it and the commit does it (contract section 8). */
export interface MergePlan {
  readonly parts: readonly MergedPart[]
  readonly keys: MergedKeys
  readonly children: readonly MergedChildren[]
  /** The parts that move without being loaded. */
  readonly moved: readonly MovedParts[]
  readonly blockers: readonly Blocker[]
  /** Ids of the records whose reference moves to the primary, by the name of the referrer. */
  readonly links: ReadonlyMap<string, readonly string[]>
  /** The version steps: first of the records that refer to the secondary, then of the primary, last of the secondary. */
  effects(resolutions: Readonly<Record<string, unknown>>): readonly Effect[]
}

/** What belongs to the two records: the nested kinds whose records are loaded, and the parts that move without being loaded. */
export interface OwnParts {
  readonly kinds: readonly Nested[]
  readonly moved: readonly MovedParts[]
}

/** Pure: the plan that preview and commit share. */
export function planMerge(
  resource: Resource,
  { primary, secondary }: Pair,
  referrers: readonly Referrer[],
  { kinds, moved }: OwnParts,
  work: WorkingSet,
  write: WriteContext,
): MergePlan {
  const parts = mergedParts(resource, primary, secondary, write.configuration)
  const keys = mergedKeys(primary, secondary, work, write)
  const children = kinds.map(kind => mergedChildren(kind, primary, secondary, work, write))
  const replacement = { kind: resource.kind, id: secondary.id, other: primary.id, erases: false }
  const { effects: relinked, blockers, links } = relink(referrers, replacement, work, write)
  const ofChildren = children.reduce((sum, { steps }) => sum + steps.length, 0)
  const ofParts = moved.reduce((sum, part) => sum + part.secondary, 0)
  const count = countAffected(referrers, secondary.id, work) + ofChildren + ofParts
  return {
    parts,
    keys,
    children,
    moved,
    blockers: [
      ...blockers,
      ...(blockers.length === 0 && count > mostAffected ? [tooManyLinks(count)] : []),
      ...parts.flatMap(tooLong),
      ...[...children, ...moved].flatMap(each => each.blockers),
    ],
    links,
    effects(resolutions) {
      // If the primary itself refers to the secondary, that reference is removed: a record does not refer to itself.
      const own = referrers.filter(({ holder }) => holder === resource)
      const alone = own.reduce((record, { field }) => withReplaced(record, field, secondary.id, null), {
        ...primary,
        ...mergedValues(primary, parts, resolutions),
        externalId: primary.externalId ?? secondary.externalId,
      })
      const nested = children.flatMap(({ steps }) => steps)
      const after = raised(primary, resource.rules.reflect?.(alone, nested, write) ?? alone, write)
      return [
        ...relinked,
        {
          resource,
          before: primary,
          after,
          nested,
          moved: countsOf(moved),
          operation: 'merged',
          mergedFromId: secondary.id,
        },
        { resource, before: secondary, after: null, mergedIntoId: primary.id },
      ]
    },
  }
}

function countsOf(moved: readonly MovedParts[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    moved.flatMap(({ kind, secondary }) => (secondary === 0 ? [] : [[kind.parent.part, secondary]])),
  )
}

/** A list is never truncated. A united list that is longer than the field allows forbids the merge. */
function tooLong({ field, outcome, merged, most }: MergedPart): Blocker[] {
  const count = outcome === 'union' && Array.isArray(merged) ? merged.length : 0
  return most !== null && count > most ? [listTooLong(field, count, most)] : []
}
