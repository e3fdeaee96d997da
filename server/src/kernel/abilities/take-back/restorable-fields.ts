import { idsOf, type RecordState, type Resource } from '../../record/index.ts'
import { isObject, type JsonObject, ownMember, sameJson } from '../../schema/index.ts'
import type { AuditedStep } from './audited-steps.ts'

/** What a step of a record's own fields leaves to restore. */
export interface RestorableFields {
  /** The members of a request that gives the fields their former values. */
  readonly input: JsonObject
  /** The next ids in lists to which the step added some, by field. */
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** The names of fields that no longer hold what the step has left. */
  readonly changed: readonly string[]
}

/**
 * Pure: compares a record with what a step has left of it, field by field; members of contact data and of custom fields count as fields.
 * `shown` is the record as answers show it, like the values of audit entries. From a list of ids only the ids that the step has added are
 * removed.
 */
export function restorableFields(
  resource: Resource,
  record: RecordState,
  shown: JsonObject,
  { changes }: Pick<AuditedStep, 'changes'>,
): RestorableFields {
  const input: Record<string, unknown> = {}
  const lists = new Map<string, readonly string[]>()
  const changed: string[] = []
  for (const change of changes) {
    const shared = resource.codec.shared.find(({ as }) => as === change.field)
    if (shared === undefined || change.redacted === true) continue
    const { name, member, as } = shared
    const { before = null, after = null } = change
    const current = shown[member] ?? null
    if (isListOfIds(resource, name)) {
      const next = withoutAdded(resource, name, record, before, after)
      if (next === null) changed.push(as)
      else lists.set(name, next)
    } else if (isObject(before) && isObject(after)) {
      const members = restorableMembers(before, after, isObject(current) ? current : {})
      if (Object.keys(members.input).length > 0) input[name] = members.input
      changed.push(...members.changed.map(each => `${as}.${each}`))
    } else if (sameJson(current, after)) input[name] = before
    else changed.push(as)
  }
  return { input, lists, changed }
}

/** The former values of all fields of a step as the members of a request, whether or not they can be restored. */
export function formerInput(resource: Resource, { changes }: Pick<AuditedStep, 'changes'>): JsonObject {
  const input: Record<string, unknown> = {}
  for (const { field, before = null } of changes) {
    const name = resource.codec.shared.find(({ as }) => as === field)?.name
    if (name !== undefined && !isListOfIds(resource, name)) input[name] = before
  }
  return input
}

function restorableMembers(before: JsonObject, after: JsonObject, current: JsonObject) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const input: Record<string, unknown> = {}
  const changed: string[] = []
  for (const name of names) {
    const [former, left, present] = [before, after, current].map(values => ownMember(values, name) ?? null)
    if (sameJson(former, left)) continue
    if (sameJson(present, left)) input[name] = former
    else changed.push(name)
  }
  return { input, changed }
}

function isListOfIds({ links, roles }: Resource, name: string): boolean {
  return name === roles.tags || links.some(link => link.name === name)
}

/** The ids as they were before, or without those that the step has added; null if only their order changed, and changed again since. */
function withoutAdded(
  { links }: Resource,
  name: string,
  record: RecordState,
  before: unknown,
  after: unknown,
): readonly string[] | null {
  const kind = links.find(link => link.name === name)?.links.kind
  const [former, left] = [before, after].map(items => idsIn(items, kind))
  const present = idsOf(record[name])
  if (former === undefined || left === undefined) return null
  if (sameJson(present, left)) return former
  const added = left.filter(id => !former.includes(id))
  return added.length === 0 ? null : present.filter(id => !added.includes(id))
}

/** Ids as they are shown: alone, or as `contactId` of a link. */
function idsIn(items: unknown, kind: string | undefined): readonly string[] {
  const list: readonly unknown[] = Array.isArray(items) ? items : []
  return list.map(item => String(isObject(item) ? item[`${kind}Id`] : item))
}
