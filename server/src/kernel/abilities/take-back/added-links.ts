import {
  childKinds,
  type Kinds,
  Lookup,
  type Nested,
  parentColumn,
  type RecordState,
  type Resource,
  represent,
  type WriteContext,
} from '../../record/index.ts'
import { isObject, type JsonObject, sameJson } from '../../schema/index.ts'
import { claimedStatement, type Statement } from '../../sql/index.ts'
import { raised } from '../../write/decide.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { referenceOf } from '../nested/link-set.ts'
import { reachTop } from '../nested/reach-top.ts'
import type { AuditedStep } from './audited-steps.ts'

/** A change of a link that is a nested record, such as that of a company to a contact. */
export interface ChangedLink {
  readonly links: Nested
  readonly ownerId: string
  /** The kind of the linked record, and its id. */
  readonly target: Resource
  readonly targetId: string
  /** The link as answers show it; null if there was none. */
  readonly before: JsonObject | null
  readonly after: JsonObject
}

/** The links that a step has added or changed. */
export function changedLinks(
  resource: Resource,
  { resources, nestedResources }: Kinds,
  { recordId, changes }: AuditedStep,
): ChangedLink[] {
  const kinds = childKinds(resource, nestedResources).filter(({ parent }) => parent.uniqueReference !== undefined)
  return changes.flatMap(({ field, before, after }) => {
    const links = kinds.find(({ parent }) => parent.part === field)
    if (links === undefined || !isObject(after)) return []
    const { kind } = referenceOf(links)
    const target = resources.find(each => each.kind === kind)
    if (target === undefined) return []
    const targetId = String(after[`${kind}Id`])
    return [{ links, ownerId: recordId, target, targetId, before: isObject(before) ? before : null, after }]
  })
}

const compiled = new Map<string, Statement>()

/** The ids of the links between these owners and records, each at its place in the list; null where there is none. */
export function idsOfLinks(links: Nested, places: readonly ChangedLink[]): Lookup<readonly (string | null)[]> {
  const { kind, table } = links
  // $1 organization, $2 owners, $3 linked records.
  const statement =
    compiled.get(kind) ??
    claimedStatement(
      `ids_of_${kind}_links`,
      `select p.place::integer as place, l.id
     from unnest($2::uuid[], $3::uuid[]) with ordinality as p (owner_id, target_id, place)
    cross join lateral (
      select t.id from ${table.name} t
       where t.organization_id = $1 and t.${parentColumn(links)} = p.owner_id
         and t.${referenceOf(links).targetColumn} = p.target_id
      offset 0) as l`,
    )
  compiled.set(kind, statement)
  const values = [places.map(({ ownerId }) => ownerId), places.map(({ targetId }) => targetId)]
  return new Lookup(statement, values, rows => {
    const ids = new Map(rows.map(({ place, id }) => [Number(place), String(id)]))
    return places.map((_, index) => ids.get(index + 1) ?? null)
  })
}

/**
 * Pure: takes back the change of one link, if it is as the change has left it. Its place among the others stays. `erases` hides the link in
 * the audit entry, because the linked person's record is taken back too. The result says whether the link is left as the change made it.
 */
export function takeBackLink(
  { links, after, before, target, targetId }: ChangedLink,
  { link, owner, erases }: { readonly link: RecordState; readonly owner: RecordState; readonly erases: boolean },
  work: WorkingSet,
  write: WriteContext,
): 'restored' | 'changed' | 'unchanged' {
  const shown = represent(links, link, write)
  const inputs = Object.entries(links.fields).flatMap(([name, { input }]) => (input === undefined ? [] : [name]))
  const own = inputs.filter(name => name !== referenceOf(links).name)
  const isLeft = (name: string) => sameJson(shown[name] ?? null, after[name] ?? null)
  const altered = before === null ? own : own.filter(name => !sameJson(before[name] ?? null, after[name] ?? null))
  // Only the place of the link has changed.
  if (before !== null && altered.length === 0) return 'unchanged'
  if (!altered.every(isLeft)) return 'changed'
  const next = before === null ? null : raised(link, { ...link, ...pick(before, altered) }, write)
  const effect = reachTop(links, [{ resource: links, before: link, after: next }], [owner], write)
  work.apply(erases ? { ...effect, replaced: { kind: target.kind, id: targetId, other: null, erases } } : effect)
  return 'restored'
}

function pick(values: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, values[name] ?? null]))
}
