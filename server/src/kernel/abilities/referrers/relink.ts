import { Refusal } from '../../errors/index.ts'
import {
  idsOf,
  type NestedStep,
  type RecordState,
  type Replacement,
  type Resource,
  type WriteContext,
} from '../../record/index.ts'
import { raised, stepTo } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import { mostAffected } from '../../write/needs.ts'
import type { Effect, WorkingSet } from '../../write/working-set.ts'
import { type Blocker, partyBlockers, tooManyLinks } from './blockers.ts'
import { type Draft, Drafts } from './drafts.ts'
import { countAffected, holdersOf, idsOfTwins } from './gather.ts'
import type { Referrer } from './referrer.ts'

/** The next states of everything that refers to a record. */
export interface Relinked {
  /** One version step for each record at the top, however many references changed in it and below it. */
  readonly effects: readonly Effect[]
  readonly blockers: readonly Blocker[]
  /** Ids of the holders, by the name of the referrer; for links the ids of the records at the top. */
  readonly links: ReadonlyMap<string, readonly string[]>
}

/**
 * Pure: removes a record from everything that refers to it, or replaces it by another one. If a list or a parent refers to both, one
 * reference stays, at the earlier position. The blockers name all records whose rules forbid the change (contract section 8).
 */
export function relink(
  referrers: readonly Referrer[],
  replacement: Replacement,
  work: WorkingSet,
  write: WriteContext,
): Relinked {
  const count = countAffected(referrers, replacement.id, work)
  if (count > mostAffected) {
    const found = referrers.map(referrer => [referrer.name, foundBy(referrer, replacement.id, work)] as const)
    return { effects: [], blockers: [tooManyLinks(count)], links: new Map(found) }
  }
  const drafts = new Drafts(work)
  const links = new Map(referrers.map(referrer => [referrer.name, replaceIn(referrer, replacement, drafts, work)]))
  const steps = nestedSteps(drafts, write)
  const effects: Effect[] = []
  const blocked: { readonly resource: Resource; readonly id: string; readonly reason: unknown }[] = []
  for (const draft of drafts.all()) {
    const { resource, before } = draft
    if (resource.parent !== null || before.id === replacement.id) continue
    const next = draft.next ?? before
    const relinked = resource.rules.relinked?.(next) ?? next
    const isBlocked = relinked instanceof Refusal
    if (isBlocked) blocked.push({ resource, id: before.id, reason: relinked.details.reason })
    const effect = effectOn(draft, isBlocked ? next : relinked, steps.get(draft) ?? [], write)
    if (effect !== null) effects.push({ ...effect, replaced: replacement })
  }
  return { effects, blockers: partyBlockers(blocked), links }
}

/** The ids of the holders from the result of `find`, for when nothing more is loaded; for links the ids of the records at the top. */
function foundBy(referrer: Referrer, target: string, work: WorkingSet): string[] {
  return work.read(holdersOf(referrer, target)).map(({ id, above: [top] }) => (referrer.isLink ? String(top) : id))
}

/** Replaces the reference in each holder; returns the ids of the holders. */
function replaceIn(referrer: Referrer, { id, other }: Replacement, drafts: Drafts, work: WorkingSet): string[] {
  const { holder, field, isLink } = referrer
  const standing = isLink && other !== null ? idsOfTwins(referrer, id, other, work) : []
  const beside = byParent(standing.flatMap(twin => drafts.of(holder, twin) ?? []))
  const held: string[] = []
  for (const found of work.read(holdersOf(referrer, id))) {
    const draft = drafts.of(holder, found.id)
    if (draft === null || draft.next === null || !refersTo(draft.next[field], id)) continue
    const top = drafts.topOf(draft)
    // Nested records of the removed record itself are removed with it.
    if (top.before.id === id) continue
    held.push(isLink ? top.before.id : draft.before.id)
    const twin = beside.get(parentIdOf(draft))
    if (isLink && other === null) draft.next = null
    else if (twin?.next === undefined || twin.next === null) {
      draft.next = withReplaced(draft.next, field, id, other)
    } else {
      twin.next = joined(holder, twin.next, draft.next)
      draft.next = null
    }
  }
  return held
}

function byParent(drafts: readonly Draft[]): Map<string, Draft> {
  return new Map(drafts.map(draft => [parentIdOf(draft), draft]))
}

function parentIdOf({ resource, before }: Draft): string {
  return String(before[resource.parent?.member ?? ''])
}

function refersTo(value: unknown, id: string): boolean {
  return Array.isArray(value) ? value.includes(id) : value === id
}

/** The record with the reference replaced. In a list, the other record takes the earlier of the two positions. */
export function withReplaced(record: RecordState, field: string, id: string, other: string | null): RecordState {
  const value = record[field]
  if (!Array.isArray(value)) return { ...record, [field]: value === id ? other : value }
  const next = idsOf(value).flatMap(target => (target === id ? (other ?? []) : target))
  return { ...record, [field]: [...new Set(next)] }
}

/** Joins two links into one, at the earlier position. */
function joined(holder: Resource, kept: RecordState, gone: RecordState): RecordState {
  const filled = filledFrom(holder, kept, gone)
  if (!holder.parent?.isPlaced || Number(kept.position) < Number(gone.position)) return filled
  return { ...filled, position: gone.position, rank: gone.rank }
}

/** A link with its empty fields filled from another link to the same record; the same object if there is nothing to fill. */
export function filledFrom(holder: Resource, kept: RecordState, gone: RecordState): RecordState {
  const own = new Set([holder.parent?.member, ...holder.references.map(({ name }) => name)])
  const isEmpty = (value: unknown) => value === null || value === undefined
  const empty = Object.keys(holder.fields).filter(name => !own.has(name) && isEmpty(kept[name]) && !isEmpty(gone[name]))
  return empty.length === 0 ? kept : { ...kept, ...Object.fromEntries(empty.map(name => [name, gone[name]])) }
}

/** The changes of nested records, grouped by the record at the top. */
function nestedSteps(drafts: Drafts, write: WriteContext): Map<Draft, NestedStep[]> {
  const steps = new Map<Draft, NestedStep[]>()
  for (const draft of drafts.all()) {
    const { resource, before, next } = draft
    if (resource.parent === null || (next !== null && !isChanged(resource, before, next))) continue
    const top = drafts.topOf(draft)
    const after = next === null ? null : raised(before, next, write)
    steps.set(top, [...(steps.get(top) ?? []), { resource, before, after }])
  }
  return steps
}

function effectOn(
  { resource, before }: Draft,
  next: RecordState,
  nested: readonly NestedStep[],
  write: WriteContext,
): Effect | null {
  if (nested.length === 0) return stepTo(resource, before, next, write).effect
  const after = raised(before, resource.rules.reflect?.(next, nested, write) ?? next, write)
  return { resource, before, after, nested }
}
