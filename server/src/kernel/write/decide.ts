import { type Issue, issuesOf, notFound, Refusal, refuse, unprocessable, versionConflict } from '../errors/index.ts'
import { isAnonymized, type RecordState, type Resource, type WriteContext } from '../record/index.ts'
import {
  type CustomFieldValues,
  isObject,
  type JsonObject,
  missingCustomFields,
  newId,
  sameJson,
} from '../schema/index.ts'
import { isChanged } from './facts.ts'
import { refuseOneMore } from './limits-of-kind.ts'
import { doubledIn, type ResolvedLinks, resolveReferences } from './references.ts'
import { type Effect, goneKey, type WorkingSet } from './working-set.ts'

/** The decision about one record: its next state, and the step that leads there (null if nothing changes). */
export interface Step {
  readonly status: 200 | 201
  readonly record: RecordState
  readonly effect: Effect | null
}

/** Gates 10 to 15 for a new record. `base` is the JSON pointer of the input. */
export function decideCreate(
  resource: Resource,
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  const links = resolveReferences(resource, input, work, base, null)
  if (links instanceof Refusal) return links
  const taken = refuseTakenKey(resource, input, null, work)
  if (taken !== null) return taken
  const full = refuseOneMore(resource, base, work)
  if (full !== null) return full
  const after = accept({ resource, previous: null, input, links, base }, blank(resource, input, write), work, write)
  if (after instanceof Refusal) return after
  return { status: 201, record: after, effect: { resource, before: null, after } }
}

/** Gates 10 to 15 for a change of the record with this id; `input.expectedVersion` is the version for compare-and-set. */
export function decideUpdate(
  resource: Resource,
  id: string,
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  const before = work.record(resource.kind, id)
  if (before === null) return notFound()
  const links = resolveReferences(resource, input, work, base, before)
  if (links instanceof Refusal && links.status === 404) return links
  if (isAnonymized(resource, before)) return refuse('resource_deleted')
  if (links instanceof Refusal) return links
  const goneOrTaken = refuseTakenKey(resource, input, id, work)
  if (goneOrTaken?.status === 410) return goneOrTaken
  if (resource.conventions.synchronizes && input.expectedVersion !== before.version)
    return versionConflict(before.version)
  if (goneOrTaken !== null) return goneOrTaken

  const behind = writeBehind(before, write)
  const { externalId } = input
  const start = typeof externalId === 'string' || externalId === null ? { ...before, externalId } : before
  const next = accept({ resource, previous: before, input, links, base }, start, work, behind)
  if (next instanceof Refusal) return next
  return stepTo(resource, before, next, behind)
}

/** The step from one state to another; no effect if nothing changed. */
export function stepTo(resource: Resource, before: RecordState, next: RecordState, write: WriteContext): Step {
  if (!isChanged(resource, before, next)) return { status: 200, record: before, effect: null }
  const after = raised(before, next, write)
  return { status: 200, record: after, effect: { resource, before, after } }
}

/** The next version of a record. */
export function raised(before: RecordState, next: RecordState, write: WriteContext): RecordState {
  const { now: updatedAt, author } = writeBehind(before, write)
  return { ...next, version: before.version + 1, updatedAt, updatedByUuid: author.uuid }
}

/**
 * The facts of a change of this record, or of what belongs to it. If the clock has gone back since the last change, the time is that of
 * the last change: the times of a record never go back (contract section 4).
 */
export function writeBehind({ updatedAt }: RecordState, write: WriteContext): WriteContext {
  return updatedAt > write.now ? { ...write, now: updatedAt } : write
}

/** A new record with initial values. */
export function blank(resource: Resource, input: JsonObject, write: WriteContext): RecordState {
  return {
    id: newId(),
    externalId: typeof input.externalId === 'string' ? input.externalId : null,
    version: 1,
    createdAt: write.now,
    updatedAt: write.now,
    createdByApplicationId: write.applicationId,
    createdByUuid: write.author.uuid,
    updatedByUuid: write.author.uuid,
    ...resource.codec.initial,
  }
}

/** Gates 11 and 14 for the external key in a request: 410 if it belonged to a removed record, 409 if another record has it. */
function refuseTakenKey(resource: Resource, input: JsonObject, ownId: string | null, work: WorkingSet): Refusal | null {
  if (typeof input.externalId !== 'string') return null
  const mapping = work.key(resource.kind, input.externalId)
  if (mapping === null) return null
  if (mapping.state === 'gone') return goneKey(resource.kind, mapping.reason)
  if (mapping.resourceId === ownId) return null
  const currentVersion = work.record(resource.kind, mapping.resourceId)?.version ?? null
  return refuse('external_id_conflict', { existingId: mapping.resourceId, currentVersion })
}

export interface Accepted {
  readonly resource: Resource
  /** null on create. */
  readonly previous: RecordState | null
  readonly input: JsonObject
  readonly links: ResolvedLinks
  /** The parent of a nested record. */
  readonly parent?: RecordState
  /** JSON pointer of the input in the request. */
  readonly base: string
}

/**
 * Gate 15: the next state of the record, from a request that passed the earlier gates. All fields check their values first. The rules of
 * the resource compare fields, so they run when each field has its value. The caller sets the head: version, times, author.
 */
export function accept(
  accepted: Accepted,
  start: RecordState,
  work: WorkingSet,
  write: WriteContext,
): RecordState | Refusal {
  const { resource, previous, input, links, base } = accepted
  const next: Record<string, unknown> = {}
  const issues: Issue[] = previous === null ? missingFields(accepted) : []
  for (const [name, value] of Object.entries(input)) {
    const field = resource.fields[name]
    if (field === undefined) continue
    const path = `${base}/${name}`
    if (field.createOnly && previous !== null) {
      if (!sameJson(value, previous[name]))
        issues.push({ path, rule: 'read_only', message: field.hint ?? 'Set only on create' })
      continue
    }
    const { configuration, managesCustomFields } = write
    const context = { configuration, path, kind: resource.kind, managesCustomFields }
    let taken: unknown = links.get(name)
    if (taken === undefined) {
      if (field.isSecret && typeof value === 'string')
        taken = write.encrypt(value, { kind: resource.kind, recordId: start.id })
      else taken = field.accept === undefined ? value : field.accept(value, start[name], context)
    }
    if (taken instanceof Refusal) issues.push(...issuesOf(taken))
    else next[name] = taken
  }
  const state: RecordState = { ...start, ...next }
  const { customFields } = resource.roles
  if (customFields !== undefined && (previous === null || input[customFields] !== undefined)) {
    issues.push(...missingCustomFieldsOf(resource, state[customFields], base, write))
  }
  issues.unshift(...doubledIn(links, base))
  if (issues.length > 0) return unprocessable(issues)

  return settle(accepted, state, work, write)
}

/** The state as the rules of the resource complete it, or their refusal. */
export function settle(
  { resource, previous, input, parent, base }: Omit<Accepted, 'links'>,
  next: RecordState,
  work: WorkingSet,
  write: WriteContext,
): RecordState | Refusal {
  const settled = resource.rules.settle?.(next, {
    previous,
    input,
    write,
    read: lookup => work.read(lookup),
    siblings: () => work.siblings(resource.kind),
    parent: parent ?? null,
  })
  return settled === undefined ? next : settled instanceof Refusal ? underBase(settled, base) : settled
}

/** The required fields that a new record lacks. Only an upsert gets here without them, because a change does not need them. */
function missingFields({ resource, input, base }: Accepted): Issue[] {
  const missing = resource.input.required.filter(name => input[name] === undefined)
  const message = 'This is required to create a record'
  return missing.map(name => ({ path: `${base}/${name}`, rule: 'required', message }))
}

function missingCustomFieldsOf({ kind }: Resource, stored: unknown, base: string, write: WriteContext): Issue[] {
  if (!write.managesCustomFields) return []
  const values: CustomFieldValues = isObject(stored) ? stored : {}
  const definitions = write.configuration.customFields.get(kind) ?? []
  return missingCustomFields(values, definitions).map(issue => ({ ...issue, path: base + issue.path }))
}

/** Puts `base` before the paths of a refusal. The paths of rules start at the record, which in a batch is not the whole body. */
export function underBase(refusal: Refusal, base: string): Refusal {
  const named = issuesOf(refusal)
  const issues = named.map(issue => ({ ...issue, path: base + issue.path }))
  // The message of a single issue begins with its path.
  const isPlaced = named.some(({ path }) => path !== '' && refusal.message.startsWith(`${path}: `))
  const message = isPlaced ? base + refusal.message : refusal.message
  return new Refusal(refusal.status, refusal.code, { ...refusal.details, issues }, message)
}
