import { type Issue, Refusal, unprocessable } from '../errors/index.ts'
import type { RecordState, Resource, WriteContext } from '../record/resource.ts'
import { type CustomFieldValues, isObject, type JsonObject, missingCustomFields, sameJson } from '../schema/index.ts'
import { type ResolvedLinks, refuseDoubled } from './references.ts'
import type { WorkingSet } from './working-set.ts'

export interface Accepted {
  readonly resource: Resource
  /** null on create. */
  readonly previous: RecordState | null
  readonly input: JsonObject
  readonly links: ResolvedLinks
  /** What a nested record belongs to. */
  readonly parent?: RecordState
  /** JSON pointer of the input in the request. */
  readonly base: string
}

/**
 * Gate 15: the record's next state from a request that passed the gates before. Field rules first, all issues at once,
 * then the resource's own. The head (version, times, author) is the caller's to set.
 */
export function accept(
  accepted: Accepted,
  start: RecordState,
  work: WorkingSet,
  write: WriteContext,
): RecordState | Refusal {
  const { resource, previous, input, links, base } = accepted
  const doubled = refuseDoubled(links, base)
  if (doubled !== null) return doubled

  const next: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(input)) {
    const field = resource.fields[name]
    if (field === undefined) continue
    const path = `${base}/${name}`
    if (field.createOnly && previous !== null) {
      if (!sameJson(value, previous[name]))
        issues.push({ path, rule: 'read_only', message: field.hint ?? 'Set only on create' })
      continue
    }
    const { directory, managesCustomFields } = write
    const context = { directory, path, kind: resource.kind, managesCustomFields }
    const link = links.get(name)
    const given = () => (field.accept === undefined ? value : field.accept(value, start[name], context))
    const taken = link === undefined ? given() : link
    if (taken instanceof Refusal) issues.push(...issuesOf(taken))
    else next[name] = taken
  }
  const state: RecordState = { ...start, ...next }
  const { customFields } = resource.roles
  if (customFields !== undefined && (previous === null || input[customFields] !== undefined)) {
    issues.push(...missingCustomFieldsOf(resource, state[customFields], base, write))
  }
  if (issues.length > 0) return unprocessable(issues)

  const settled = resource.rules.settle?.(state, {
    previous,
    input,
    write,
    extra: name => work.extra(name),
    siblings: () => work.siblings(resource.kind),
    parent: accepted.parent ?? null,
  })
  return settled === undefined ? state : settled instanceof Refusal ? underBase(settled, base) : settled
}

function missingCustomFieldsOf({ kind }: Resource, stored: unknown, base: string, write: WriteContext): Issue[] {
  if (!write.managesCustomFields) return []
  const values: CustomFieldValues = isObject(stored) ? stored : {}
  const definitions = write.directory.customFields.get(kind) ?? []
  return missingCustomFields(values, definitions).map(issue => ({ ...issue, path: base + issue.path }))
}

function issuesOf(refusal: Refusal): readonly Issue[] {
  const { issues } = refusal.details
  return Array.isArray(issues) ? issues : []
}

/** Rules name places in the record; in a batch the record stands deeper. */
export function underBase(refusal: Refusal, base: string): Refusal {
  const issues = issuesOf(refusal).map(issue => ({ ...issue, path: base + issue.path }))
  return new Refusal(refusal.status, refusal.code, { ...refusal.details, issues }, refusal.message)
}
