import { notFound, Refusal, refuse, versionConflict } from '../../errors/index.ts'
import type { Decision, Mutation } from '../../mutation/index.ts'
import { isAnonymized, type Kinds, type RecordState, type Resource, type WriteContext } from '../../record/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { raised, writeBehind } from '../../write/decide.ts'
import { allKeysOf } from '../../write/load.ts'
import type { Effect, WorkingSet } from '../../write/working-set.ts'
import { type Blocker, needReferrers, refuseBlocked, relink, requireTops } from '../referrers/index.ts'
import { tellsOfPerson } from './personal-links.ts'
import { idsLinkedTo, type Relations, relationsOf } from './relations.ts'

/** `anonymize` empties a person's record and keeps it for those that link to it; `full` removes and unlinks it. */
export const removalModes = ['anonymize', 'full'] as const
export type RemovalMode = (typeof removalModes)[number]

/** JSON Schema of a mode. */
export const removalModeSchema: JsonSchema = { component: 'RemovalMode', type: 'string', enum: removalModes }

/** What a removal does. The preview shows it and the commit does it (contract section 8). */
export interface RemovalPlan {
  readonly before: RecordState
  /** The version steps: first of the records that refer to the record, last of the record itself. */
  readonly effects: readonly Effect[]
  readonly blockers: readonly Blocker[]
  /** Ids of the records that are unlinked, by the name of the referrer or of the record's own links. */
  readonly links: ReadonlyMap<string, readonly string[]>
}

/** The record to remove, and how; without `expectedVersion` there is no compare-and-set. */
export interface RemovalRequest {
  readonly resource: Resource
  readonly id: string
  readonly mode: RemovalMode
  readonly expectedVersion: unknown
}

/** Pure: the plan that all removals share. */
export function planRemoval(
  resource: Resource,
  mode: RemovalMode,
  before: RecordState,
  relations: Relations,
  work: WorkingSet,
  write: WriteContext,
): RemovalPlan {
  const { referrers } = relations
  if (mode === 'anonymize') {
    requireTops(referrers, before.id, work)
    const after = anonymized(resource, before, write)
    const effect: Effect = { resource, before, after, operation: 'anonymized', changedFields: [] }
    return { before, effects: [effect], blockers: [], links: new Map() }
  }
  const replacement = { kind: resource.kind, id: before.id, other: null, erases: resource.personal }
  const { effects, blockers, links } = relink(referrers, replacement, work, write)
  return {
    before,
    effects: [...effects, { resource, before, after: null }],
    blockers,
    links: new Map([...links, ...idsLinkedTo(relations, before.id, work)]),
  }
}

/** The mutation behind DELETE and delete/commit: gates 10, 11, 13 and 15, then all effects of the plan, which is its result. */
export function removal(
  { resource, id, mode, expectedVersion }: RemovalRequest,
  services: Kinds,
  sweeping: (plan: RemovalPlan, work: WorkingSet, write: WriteContext) => Pick<Decision<unknown>, 'sweep'> = () => ({}),
): Mutation<RemovalPlan> {
  const all = relationsOf(resource, services)
  // An anonymized person stays linked. Only personal data in the links is emptied, under the locks of the records at the top.
  const followed = mode === 'full' ? all : { ...all, referrers: all.referrers.filter(tellsOfPerson), ownLinks: [] }
  return {
    needs(needs, work) {
      for (const kind of followed.ownLinks) needs.toLoadNestedIn(kind, id)
      needs.toChange(resource, { id })
      needs.toLoad(allKeysOf(id))
      needReferrers(needs, work, followed.referrers, id, null)
    },
    decide(work, write) {
      const before = presentRecord(resource, id, work)
      if (before instanceof Refusal) return before
      if (expectedVersion !== undefined && before.version !== expectedVersion) return versionConflict(before.version)
      const plan = planRemoval(resource, mode, before, followed, work, write)
      const blocked = refuseBlocked(plan.blockers)
      if (blocked !== null) return blocked
      for (const effect of plan.effects) work.apply(effect)
      return { result: plan, ...sweeping(plan, work, write) }
    },
  }
}

/** The record; 404 if it does not exist, 410 if it was anonymized. */
export function presentRecord(resource: Resource, id: string, work: WorkingSet): RecordState | Refusal {
  const record = work.record(resource.kind, id)
  if (record === null) return notFound()
  return isAnonymized(resource, record) ? refuse('resource_deleted') : record
}

/** The record without the person: every field that may hold personal data has its initial value. */
function anonymized(resource: Resource, before: RecordState, write: WriteContext): RecordState {
  const erased = Object.entries(resource.fields).filter(([, field]) => field.personal)
  const next = {
    ...before,
    ...Object.fromEntries(erased.map(([name, field]) => [name, field.initial])),
    externalId: null,
    ...(resource.roles.anonymizedAt === undefined
      ? {}
      : { [resource.roles.anonymizedAt]: writeBehind(before, write).now }),
  }
  return raised(before, next, write)
}
