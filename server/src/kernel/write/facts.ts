import {
  type NestedStep,
  type RecordCodec,
  type RecordState,
  type Resource,
  type RowChange,
  represent,
  type WriteContext,
} from '../record/index.ts'
import { type JsonObject, newId, type PresentContext, type Projection, sameJson } from '../schema/index.ts'
import { auditEntries } from './tables.ts'
import type { Effect } from './working-set.ts'

/** One changed field as the audit log stores it; `guard` is the projection that hides it. */
export type FieldChange =
  | { readonly field: string; readonly before: unknown; readonly after: unknown; readonly guard?: Projection }
  | { readonly field: string; readonly redacted: true }

/** Whether a field, or the key, differs between two states. */
export function isChanged(resource: Resource, before: RecordState, after: RecordState): boolean {
  for (const name of resource.codec.names) if (differs(name, before, after)) return true
  return false
}

type SharedField = RecordCodec['shared'][number]

/** The changed fields that clients see, in the order of their declaration. */
export function changedFields({ codec }: Resource, { before, after }: Effect): SharedField[] {
  const changed: SharedField[] = []
  for (const field of codec.shared) if (differs(field.name, before, after)) changed.push(field)
  return changed
}

/** Most fields of a step are the same object in both states, so only the others are compared member by member. */
function differs(name: string, before: RecordState | null, after: RecordState | null): boolean {
  const [old, next] = [before?.[name] ?? null, after?.[name] ?? null]
  return old !== next && !sameJson(old, next)
}

/** The row of one change event (contract section 11). It holds no personal data: consumers fetch the record. */
export function changeRow(
  { resource, before, after, nested = [], moved = {}, ...effect }: Effect,
  changed: readonly SharedField[],
  write: WriteContext,
): Record<string, unknown> {
  const operation = effect.operation ?? operationOf(before, after)
  const tellsFields = operation === 'updated' || operation === 'merged'
  return {
    id: newId(),
    kind: effect.kind ?? `${resource.kind}.${operation}`,
    resource_type: resource.kind,
    resource_id: (after ?? before)?.id,
    operation,
    // The removal of a record counts as one more version.
    version: after?.version ?? (before === null ? null : before.version + 1),
    // Each part whose nested records changed or were moved here is told once.
    changed_fields:
      effect.changedFields ??
      (tellsFields
        ? [...changed.map(({ as }) => as), ...new Set([...nested.map(partName), ...Object.keys(moved)])]
        : []),
    merged_into_id: effect.mergedIntoId ?? null,
    merged_from_id: effect.mergedFromId ?? null,
    ...authorship(write),
    occurred_at: write.now,
    job_id: write.author.jobId,
    transaction_id: write.transactionId,
  }
}

/** The end of a job: the kind of its record, its id, and how it ended. */
interface JobEnd {
  readonly resourceType: string
  readonly resourceId: string
  readonly verb: 'completed' | 'failed' | 'canceled'
  /** Its status from now on. */
  readonly status: string
}

/**
 * The row of the event that tells the end of a job (contract section 11). The status stands in the column of the operation: an operation on
 * a record has none, and the verb is in the kind.
 */
export function jobEventRow({ resourceType, resourceId, verb, status }: JobEnd, write: WriteContext) {
  return {
    id: newId(),
    kind: `${resourceType}.${verb}`,
    resource_type: resourceType,
    resource_id: resourceId,
    operation: status,
    version: null,
    changed_fields: [],
    merged_into_id: null,
    merged_from_id: null,
    ...authorship(write),
    occurred_at: write.now,
    job_id: write.author.jobId,
    transaction_id: write.transactionId,
  }
}

/** The audit entry of one step: who, what, and the values before and after. */
export function auditRow(effect: Effect, changed: readonly SharedField[], write: WriteContext): RowChange {
  const { resource, before, after, kind, operation } = effect
  // The entry of an erasure must not store what is erased.
  const isErasure = operation === 'anonymized' || (resource.personal && after === null)
  const row = {
    id: newId(),
    occurred_at: write.now,
    resource_type: resource.kind,
    resource_id: (after ?? before)?.id,
    action: kind ?? `${resource.kind}.${operation ?? operationOf(before, after)}`,
    ...authorship(write),
    ...provenance(write),
    version_before: versionOf(resource, before),
    version_after: versionOf(resource, after),
    changes: isErasure ? [] : [...placeChanges(effect), ...fieldChanges(effect, changed, write)],
    about_ids: aboutIds(effect),
    job_id: write.author.jobId,
    overwrite: effect.overwrites === true,
  }
  return { table: auditEntries, operation: 'insert', row }
}

/** The version that clients see; null if there is no record, or its conventions have no versions. */
function versionOf({ conventions }: Resource, record: RecordState | null): number | null {
  return conventions.synchronizes ? (record?.version ?? null) : null
}

/** The chosen id of a record and the record it belongs to: the entry does not identify such a record otherwise. */
function placeChanges({ resource: { parent }, before, after }: Effect): FieldChange[] {
  const { chosenId, member = '' } = parent ?? {}
  if (chosenId === undefined) return []
  const told = (field: string, name: string) => ({
    field,
    before: before?.[name] ?? null,
    after: after?.[name] ?? null,
  })
  const isNamedAnyway = before === null || after === null
  return [told(member, member), ...(isNamedAnyway ? [] : [told('id', chosenId)])]
}

/** One audit entry for each setting that the step changed; one for the organization only if its own fields changed. */
export function settingAuditRows({ nested = [], ...effect }: Effect, write: WriteContext): RowChange[] {
  return [effect, ...nested].flatMap(step => {
    const changed = changedFields(step.resource, step)
    return changed.length === 0 ? [] : [auditRow(step, changed, write)]
  })
}

/** The audit entry of a preview, which does not change the record (contract section 11). */
export function previewRow(
  resource: Resource,
  { id, version }: RecordState,
  action: string,
  write: WriteContext,
): RowChange {
  return actionRow({ resourceType: resource.kind, resourceId: id, action, version }, write)
}

/** The subject of an action that changed no record. */
interface Noted {
  readonly resourceType: string
  readonly resourceId: string
  readonly action: string
  /** The version of the record, before and after; null for a subject without versions, such as a job. */
  readonly version: number | null
  /** What it was about; nothing if absent. */
  readonly changes?: readonly FieldChange[]
}

/** The audit entry of an action that changes no record. */
export function actionRow(
  { resourceType, resourceId, action, version, changes = [] }: Noted,
  write: WriteContext,
): RowChange {
  const row = {
    id: newId(),
    occurred_at: write.now,
    resource_type: resourceType,
    resource_id: resourceId,
    action,
    ...authorship(write),
    ...provenance(write),
    version_before: version,
    version_after: version,
    changes,
    about_ids: null,
    job_id: write.author.jobId,
    overwrite: false,
  }
  return { table: auditEntries, operation: 'insert', row }
}

function fieldChanges(
  { resource, before, after, nested = [], moved = {}, replaced }: Effect,
  changed: readonly SharedField[],
  write: WriteContext,
): FieldChange[] {
  const old = before === null ? {} : represent(resource, before, write)
  const next = after === null ? {} : represent(resource, after, write)
  const erased = replaced?.erases ? replaced.id : null
  const parts = nested.flatMap((step): FieldChange[] => {
    const tells = erased !== null && referredIn(step).includes(erased)
    return tells ? [{ field: partName(step), redacted: true }] : partChanges(step, write)
  })
  const own: FieldChange[] = []
  for (const { name, member, as } of changed) {
    const guard = resource.fields[name]?.projection
    const change = { field: as, before: old[member] ?? null, after: next[member] ?? null }
    own.push(guard === undefined ? change : { ...change, guard })
  }
  const movedHere = Object.entries(moved).map(([field, count]) => ({ field, before: null, after: { moved: count } }))
  return [...own, ...parts, ...movedHere]
}

/** The nested record before and after the step. A protected member that changed is a separate change. */
function partChanges({ resource, before, after }: NestedStep, context: PresentContext): FieldChange[] {
  const field = partName({ resource })
  const protectedBy = new Map(
    [...resource.protectedMembers].flatMap(([projection, members]) => members.map(member => [member, projection])),
  )
  const shown = (record: RecordState | null) => (record === null ? null : represent(resource, record, context))
  const [old, next] = [shown(before), shown(after)]
  const open = (values: JsonObject | null) =>
    values && Object.fromEntries(Object.entries(values).filter(([member]) => !protectedBy.has(member)))
  const apart = [...protectedBy].flatMap(([member, guard]): FieldChange[] => {
    const values = { before: old?.[member] ?? null, after: next?.[member] ?? null }
    return sameJson(values.before, values.after) ? [] : [{ field: `${field}.${member}`, ...values, guard }]
  })
  const whole = resource.projection === undefined ? {} : { guard: resource.projection }
  return [{ field, before: open(old), after: open(next), ...whole }, ...apart]
}

function partName({ resource }: Pick<NestedStep, 'resource'>): string {
  return resource.parent?.part ?? resource.plural
}

/** Ids of the records that nested records refer to before or after the step. */
function referredIn({ resource, before, after }: NestedStep): unknown[] {
  return resource.references.flatMap(({ name }) => [before?.[name], after?.[name]].flat())
}

/** Ids of other records that the values of an entry mention. An erasure finds the entry by them. */
function aboutIds({ nested = [], replaced }: Effect): string[] | null {
  const ids = new Set(nested.flatMap(referredIn).filter(id => typeof id === 'string'))
  // The entry holds no values about a person that this step erases.
  if (replaced?.erases) ids.delete(replaced.id)
  return ids.size === 0 ? null : [...ids]
}

function operationOf(before: RecordState | null, after: RecordState | null): 'created' | 'updated' | 'deleted' {
  if (before === null) return 'created'
  return after === null ? 'deleted' : 'updated'
}

function authorship(write: WriteContext): Record<string, unknown> {
  return {
    actor_type: write.author.type,
    actor_uuid: write.author.uuid,
    application_id: write.applicationId,
    request_id: write.requestId,
  }
}

/** How the request of an audit entry arrived, or who ran the command. */
function provenance({ author, clientRequestId, origin }: WriteContext): Record<string, unknown> {
  return {
    client_request_id: clientRequestId,
    entry: origin?.entry === 'api' ? null : (origin?.entry ?? null),
    token_id: origin?.tokenId ?? null,
    address_class: origin?.addressClass ?? null,
    command_user: author.commandUser ?? null,
  }
}
