import type { FiledLinks } from '../columns/index.ts'
import { notFound, Refusal, refuse, violates } from '../errors/index.ts'
import {
  isAnonymized,
  type LinkField,
  type Nested,
  type RecordState,
  type Resource,
  type WriteContext,
} from '../record/index.ts'
import type { JsonObject, Reference } from '../schema/index.ts'
import { type Step, stepTo } from '../write/decide.ts'
import type { RecordChange } from '../write/record-change.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { linkStates, referenceOf, stepsToPlace } from './nested/link-set.ts'
import { reachTop } from './nested/reach-top.ts'

/** Links in a field of their owner, or links that are records of their own. */
export type AddableLinks = FiledLinks & { readonly links: LinkField | Nested }

/** A link to add to a record. */
export interface AddedLink {
  readonly owner: Reference
  readonly target: Reference
  /** Whether the link becomes the first. Otherwise a new link comes last, and existing links stay where they are. */
  readonly isPrimary: boolean
  /** The fields of the link, such as `role`; omitted fields stay unchanged. */
  readonly said: JsonObject
  /** Whether the fields of an existing link stay unchanged. */
  readonly keepsSaid?: boolean
}

/**
 * The change of a record that adds one link and removes none (contract section 10.3, "Import"). Refused with 404 and 410 at `/owner` and
 * `/target`, and with 422 if the record would have too many links. A link that exists already changes nothing, unless it becomes the first
 * or its fields change.
 */
export function addingLink(filed: AddableLinks, target: Resource, link: AddedLink): RecordChange {
  const { owner, links } = filed
  return {
    resource: owner,
    needs(needs, work) {
      needs.toChange(owner, link.owner)
      needs.toRefer(target, link.target)
      const id = work.resolve(owner.kind, link.owner)
      if (isNested(links) && typeof id === 'string') needs.toLoadNestedIn(links, id)
    },
    decide(base, work, write) {
      const ids = resolved(filed, link, base, work)
      if (ids instanceof Refusal) return ids
      const [record, targetId] = ids
      return isNested(links)
        ? addToNested(links, record, targetId, link, base, work, write)
        : addToField(owner, links.name, record, targetId, link, base, write)
    },
  }
}

/** Whether a record has this link already. */
export function isLinked({ owner, links }: AddableLinks, ownerId: string, targetId: string, work: WorkingSet): boolean {
  if (isNested(links)) {
    const { name } = referenceOf(links)
    return work.nestedIn(links, ownerId).some(link => link[name] === targetId)
  }
  const held = work.record(owner.kind, ownerId)?.[links.name]
  return Array.isArray(held) && held.includes(targetId)
}

function isNested(links: LinkField | Nested): links is Nested {
  return 'parent' in links
}

/** Gates 10 and 11: the owner and the id of the linked record. */
function resolved(
  { owner, targetKind }: FiledLinks,
  link: AddedLink,
  base: string,
  work: WorkingSet,
): readonly [RecordState, string] | Refusal {
  const ownerId = work.resolve(owner.kind, link.owner, `${base}/owner`)
  if (ownerId instanceof Refusal) return ownerId
  const record = work.record(owner.kind, ownerId)
  if (record === null) return notFound(`${base}/owner`)
  if (isAnonymized(owner, record)) return refuse('resource_deleted', { path: `${base}/owner` })
  const targetId = work.resolve(targetKind, link.target, `${base}/target`)
  return targetId instanceof Refusal ? targetId : [record, targetId]
}

/** The ids with one more: first, or at its present position, or last. */
function withOneMore(ids: readonly string[], id: string, isPrimary: boolean): readonly string[] {
  if (isPrimary) return [id, ...ids.filter(other => other !== id)]
  return ids.includes(id) ? ids : [...ids, id]
}

function addToField(
  owner: Resource,
  name: string,
  record: RecordState,
  targetId: string,
  { isPrimary }: AddedLink,
  base: string,
  write: WriteContext,
): Step | Refusal {
  const held = record[name]
  const before = Array.isArray(held) ? held.map(String) : []
  const after = withOneMore(before, targetId, isPrimary)
  const most = Number(owner.fields[name]?.input?.maxItems)
  if (after.length > most) return tooMany(base, most)
  const isSame = after.every((id, index) => id === before[index])
  return stepTo(owner, record, isSame ? record : { ...record, [name]: after }, write)
}

function addToNested(
  nested: Nested,
  owner: RecordState,
  targetId: string,
  { isPrimary, said, keepsSaid = false }: AddedLink,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  // By rank: a link that an earlier change has moved still has its old `position` here.
  const before = work.nestedIn(nested, owner.id).sort(byRank)
  const { name } = referenceOf(nested)
  const held = before.find(link => link[name] === targetId)
  if (held === undefined && nested.most !== null && before.length >= nested.most) return tooMany(base, nested.most)
  const fields = Object.entries(nested.fields).flatMap(([field, { input }]) => (input === undefined ? [] : [field]))
  const kept = Object.fromEntries(fields.map(field => [field, held?.[field] ?? null]))
  const left = Object.entries(said).filter(([field]) => !keepsSaid || (kept[field] ?? null) === null)
  const element = { ...kept, ...Object.fromEntries(left) }
  const links = linkStates(nested, owner, [targetId], [element], held === undefined ? [] : [held], work, write)
  if (links instanceof Refusal) return links
  const [link] = links
  if (link === undefined) throw new Error(`the new link of ${nested.kind} is missing from the set`)
  const steps = stepsToPlace(nested, link, before, isPrimary, write)
  if (steps.length === 0) return { status: 200, record: owner, effect: null }
  const effect = reachTop(nested, steps, [owner], write)
  return { status: 200, record: effect.after ?? owner, effect }
}

function byRank(one: RecordState, other: RecordState): number {
  return String(one.rank) < String(other.rank) ? -1 : 1
}

function tooMany(base: string, most: number): Refusal {
  return violates(`${base}/target`, 'maxItems', `At most ${most} can be linked`)
}
