import { type Issue, Refusal, unprocessable } from '../errors/index.ts'
import type { RecordState, Resource } from '../record/index.ts'
import { isObject, type JsonObject, type Reference } from '../schema/index.ts'
import type { Needs } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/** The references in a value of a request whose form was checked: ids, or objects with an id or a key. */
export function referencesIn(value: unknown): Reference[] {
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item): Reference[] => {
    const { id, externalId }: JsonObject = isObject(item) ? item : { id: item }
    if (typeof id === 'string') return [{ id }]
    return typeof externalId === 'string' ? [{ externalId }] : []
  })
}

/** Needs the records that a request refers to. */
export function needReferences(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  resources: readonly Resource[],
): void {
  for (const { name, kind } of resource.references) {
    const target = resources.find(candidate => candidate.kind === kind)
    if (target !== undefined) for (const reference of referencesIn(input[name])) needs.toRefer(target, reference)
  }
}

/** The ids that a request refers to, by field: a list, or one id or null. Fields that the request omits have no entry. */
export type ResolvedLinks = ReadonlyMap<string, readonly string[] | string | null>

/**
 * Gates 10 and 11 for the references in a body. A record that does not exist (404) takes precedence over one that is gone (410), wherever
 * they occur in the body. `before` is the record before the change, whose references may stay; null for a new one.
 */
export function resolveReferences(
  resource: Resource,
  input: JsonObject,
  work: WorkingSet,
  base: string,
  before: RecordState | null,
): ResolvedLinks | Refusal {
  const resolved = new Map<string, readonly string[] | string | null>()
  const refusals: Refusal[] = []
  if (resource.references.length === 0) return resolved
  for (const [name, value] of Object.entries(input)) {
    const { links, refersTo = links?.kind } = resource.fields[name] ?? {}
    if (refersTo === undefined) continue
    const path = `${base}/${name}`
    const found = referencesIn(value).map((reference, index) =>
      work.resolve(refersTo, reference, links === undefined ? path : `${path}/${index}`, before?.[name]),
    )
    refusals.push(...found.filter(id => id instanceof Refusal))
    const ids = found.filter(id => typeof id === 'string')
    resolved.set(name, links === undefined ? (ids[0] ?? null) : ids)
  }
  return firstRefusal(refusals) ?? resolved
}

/** The first 404 (does not exist), else the first 410 (gone), wherever they occur in the body. */
export function firstRefusal(refusals: readonly [Refusal, ...Refusal[]]): Refusal
export function firstRefusal(refusals: readonly Refusal[]): Refusal | undefined
export function firstRefusal(refusals: readonly Refusal[]): Refusal | undefined {
  return refusals.find(({ status }) => status === 404) ?? refusals[0]
}

/** 422 if two references in one list lead to the same record. */
export function refuseDoubled(links: ResolvedLinks, base: string): Refusal | null {
  const issues = doubledIn(links, base)
  return issues.length === 0 ? null : unprocessable(issues)
}

/** An issue for each reference that leads to a record to which its list has led already. */
export function doubledIn(links: ResolvedLinks, base: string): Issue[] {
  const issues: Issue[] = []
  for (const [name, ids] of links) {
    if (!Array.isArray(ids)) continue
    const seen = new Set<unknown>()
    for (const [index, id] of ids.entries()) {
      const path = `${base}/${name}/${index}`
      if (seen.has(id)) issues.push({ path, rule: 'unique', message: 'Refers to a record that the list has already' })
      seen.add(id)
    }
  }
  return issues
}
