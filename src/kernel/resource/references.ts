import { type Issue, Refusal, unprocessable } from '../errors/index.ts'
import { isObject, type JsonObject, type Reference } from '../schema/index.ts'
import type { Needs } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'
import type { Resource } from './resource.ts'

/** The reference objects that stand in a request value; their form was checked before. */
function referencesIn(value: unknown): Reference[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).flatMap(({ id, externalId }): Reference[] => {
    if (typeof id === 'string') return [{ id }]
    return typeof externalId === 'string' ? [{ externalId }] : []
  })
}

/** Adds the records that a request refers to. */
export function needReferences(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  resources: readonly Resource[],
): void {
  for (const { name, links } of resource.links) {
    const target = resources.find(candidate => candidate.kind === links.kind)
    if (target !== undefined) for (const reference of referencesIn(input[name])) needs.toRefer(target, reference)
  }
}

/** Ids of the referred records, by field; only fields that the request gives. */
export type ResolvedLinks = ReadonlyMap<string, readonly string[]>

/**
 * Gates 10 and 11 for references in a body, in the order of the document: one that does not exist (404) comes before
 * one that is gone (410), wherever they stand.
 */
export function resolveReferences(
  resource: Resource,
  input: JsonObject,
  work: WorkingSet,
  base: string,
): ResolvedLinks | Refusal {
  const resolved = new Map<string, readonly string[]>()
  const refusals: Refusal[] = []
  if (resource.links.length === 0) return resolved
  for (const [name, value] of Object.entries(input)) {
    const links = resource.fields[name]?.links
    if (links === undefined) continue
    const ids = referencesIn(value).map((reference, index) =>
      work.resolve(links.kind, reference, `${base}/${name}/${index}`),
    )
    refusals.push(...ids.filter(id => id instanceof Refusal))
    resolved.set(
      name,
      ids.filter(id => typeof id === 'string'),
    )
  }
  return refusals.find(refusal => refusal.status === 404) ?? refusals[0] ?? resolved
}

/** 422: two references of one list that stand for the same record. */
export function refuseDoubled(links: ResolvedLinks, base: string): Refusal | null {
  const issues: Issue[] = []
  for (const [name, ids] of links) {
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue
      issues.push({
        path: `${base}/${name}/${index}`,
        rule: 'unique',
        message: 'Refers to a record that the list has already',
      })
    }
  }
  return issues.length === 0 ? null : unprocessable(issues)
}
