import { Refusal, violates } from '../errors/index.ts'
import {
  type Kinds,
  type Nested,
  type NestedStep,
  type RecordState,
  type Resource,
  type WriteContext,
} from '../record/index.ts'
import type { Configuration, JsonObject } from '../schema/index.ts'
import { decideCreate, decideUpdate, raised, type Step, settle } from './decide.ts'
import { decideUpsert } from './decide-upsert.ts'
import { isChanged } from './facts.ts'
import { needRoom } from './limits-of-kind.ts'
import { mostAffected, type Needs } from './needs.ts'
import { needReferences } from './references.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * One change of one record, with its form checked: a single request, an element of a batch, or a target of a job. Several changes can be
 * combined into one mutation.
 */
export interface RecordChange {
  readonly resource: Resource
  /** States its needs, as `Mutation.needs` does. */
  needs(needs: Needs, work: WorkingSet, configuration: Configuration): void
  /** Pure: the step of the change, or a refusal. `base` is the JSON pointer of the input in the request. */
  decide(base: string, work: WorkingSet, write: WriteContext): Step | Refusal
}

/** A new record. If another record has its key, that record is loaded, because the refusal names its version. */
export function creating(resource: Resource, input: JsonObject, kinds: Kinds): RecordChange {
  return {
    resource,
    needs(needs, work, configuration) {
      needNewRecord(needs, resource, input, configuration, kinds)
      const holder = holderOf(resource, input, work)
      if (holder === null || typeof input.externalId !== 'string') return
      needs.toChange(resource, { id: holder })
      needs.toChange(resource, { externalId: input.externalId })
    },
    decide: (base, work, write) => decideCreate(resource, input, base, work, write),
  }
}

/** A change of the record with this id. */
export function updating(resource: Resource, id: string, input: JsonObject, kinds: Kinds): RecordChange {
  const followers = followersOf(resource, kinds.nestedResources)
  return {
    resource,
    needs(needs, work, configuration) {
      needs.toChange(resource, { id })
      if (typeof input.externalId === 'string') needs.toChange(resource, { externalId: input.externalId })
      needKeyAndReferences(needs, resource, input, kinds)
      needs.toLoad(...(resource.rules.needs?.(input, configuration, false) ?? []))
      needFollowers(needs, followers, work.record(resource.kind, id), input, configuration)
    },
    decide(base, work, write) {
      const step = decideUpdate(resource, id, input, base, work, write)
      return withFollowers(step, followers, input, base, work, write)
    },
  }
}

/** A new record, or a change of the record that has the key; one that overwrites takes that record at whatever version it has. */
export function upserting(resource: Resource, input: JsonObject, kinds: Kinds, overwrites = false): RecordChange {
  const followers = followersOf(resource, kinds.nestedResources)
  return {
    resource,
    needs(needs, work, configuration) {
      if (typeof input.externalId === 'string') needs.toChange(resource, { externalId: input.externalId })
      needNewRecord(needs, resource, input, configuration, kinds)
      const record = recordOfKey(resource, input, work)
      const change = overwrites ? { ...input, expectedVersion: record?.version } : input
      needFollowers(needs, followers, record, change, configuration)
    },
    decide(base, work, write) {
      const step = decideUpsert(resource, input, base, work, write, overwrites)
      return withFollowers(step, followers, input, base, work, write)
    },
  }
}

/** A change that is always refused. */
export function refusing(resource: Resource, refusal: Refusal): RecordChange {
  return { resource, needs() {}, decide: () => refusal }
}

/**
 * Decides changes one after another, one per step. Each change sees the results of those before it, and a refused change changes nothing.
 * `baseOf` returns the JSON pointer of each change in the request.
 */
export function* decideEach(
  changes: readonly RecordChange[],
  baseOf: (index: number) => string,
  work: WorkingSet,
  write: WriteContext,
): Generator<unknown, readonly (Step | Refusal)[]> {
  const steps: (Step | Refusal)[] = []
  for (const [index, change] of changes.entries()) {
    const step = change.decide(baseOf(index), work, write)
    if (!(step instanceof Refusal) && step.effect !== null) work.apply(step.effect)
    steps.push(step)
    yield
  }
  return steps
}

/** The needs of a new record: its key, the records that it refers to, and the rows that its rules need. */
function needNewRecord(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  configuration: Configuration,
  kinds: Kinds,
): void {
  needKeyAndReferences(needs, resource, input, kinds)
  needRoom(needs, resource)
  needs.toLoad(...(resource.rules.needs?.(input, configuration, true) ?? []))
}

function needKeyAndReferences(needs: Needs, resource: Resource, input: JsonObject, { resources }: Kinds): void {
  if (typeof input.externalId === 'string') needs.toCreate(resource.kind, input.externalId)
  needReferences(needs, resource, input, resources)
}

function holderOf({ kind }: Resource, { externalId }: JsonObject, work: WorkingSet): string | null {
  const mapping = typeof externalId === 'string' ? work.key(kind, externalId) : null
  return mapping?.state === 'live' ? mapping.resourceId : null
}

function recordOfKey(resource: Resource, input: JsonObject, work: WorkingSet): RecordState | null {
  const id = holderOf(resource, input, work)
  return id === null ? null : work.record(resource.kind, id)
}

/** The nested kinds that follow changes of this resource, as items follow the currency of their deal. */
function followersOf(resource: Resource, nestedResources: readonly Nested[]): readonly Nested[] {
  const followers: Nested[] = []
  for (const kind of nestedResources)
    if (kind.rules.settledBy !== undefined && kind.parent.resource === resource) followers.push(kind)
  return followers
}

/** How many nested records of the kind follow a change of their parent: all or none. */
function countFollowing(kind: Nested, parent: RecordState, input: JsonObject, configuration: Configuration): number {
  const [before, after] = [parent, { ...parent, ...input }].map(each => kind.rules.settledBy?.(each, configuration))
  return before === after ? 0 : Number(parent[kind.countedIn ?? ''])
}

/**
 * Needs the nested records that must follow a change of their parent. Above the limit of one request they are not loaded, and
 * `withFollowers` refuses.
 */
function needFollowers(
  needs: Needs,
  followers: readonly Nested[],
  record: RecordState | null,
  input: JsonObject,
  configuration: Configuration,
): void {
  // If the version differs, the change will be refused.
  if (record === null || record.version !== input.expectedVersion) return
  for (const kind of followers) {
    const count = countFollowing(kind, record, input, configuration)
    if (count > 0) needs.toFollow(kind, record.id, count)
  }
}

/** The step together with the changes of nested records that follow from it, as one version step; or a refusal (422). */
function withFollowers(
  step: Step | Refusal,
  followers: readonly Nested[],
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  if (step instanceof Refusal || step.effect === null) return step
  const { resource, before, after } = step.effect
  if (before === null || after === null) return step
  const nested: NestedStep[] = []
  for (const kind of followers) {
    if (countFollowing(kind, before, input, write.configuration) === 0) continue
    if (!work.holdsNestedIn(kind, after.id)) return tooMany(base)
    for (const record of work.nestedIn(kind, after.id)) {
      const next = settle({ resource: kind, previous: record, input: {}, parent: after, base }, record, work, write)
      if (next instanceof Refusal) return next
      if (isChanged(kind, record, next))
        nested.push({ resource: kind, before: record, after: raised(record, next, write) })
    }
  }
  if (nested.length === 0) return step
  const record = resource.rules.reflect?.(after, nested, write) ?? after
  return { ...step, record, effect: { ...step.effect, after: record, nested } }
}

function tooMany(base: string): Refusal {
  const message = `One request may change ${mostAffected} records at most, those that belong to others included`
  return violates(base, 'too_many_links', message, { reason: 'too_many_links', limit: mostAffected })
}
