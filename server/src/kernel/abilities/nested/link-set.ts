import { Refusal } from '../../errors/index.ts'
import type { Nested, NestedStep, RecordState, WriteContext } from '../../record/index.ts'
import { isObject, type JsonObject, ranksBetween } from '../../schema/index.ts'
import { accept, blank, raised } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { putInOrder, rankOf } from './nested-place.ts'

/** The links of an owner to these records, in order. `elements` are the fields of each link: an omitted field becomes empty. */
export function linkStates(
  nested: Nested,
  owner: RecordState,
  ids: readonly string[],
  elements: readonly unknown[],
  before: readonly RecordState[],
  work: WorkingSet,
  write: WriteContext,
): RecordState[] | Refusal {
  const { parent, plural, fields } = nested
  const { name } = referenceOf(nested)
  const held = new Map(before.map(link => [link[name], link]))
  const empty = Object.fromEntries(
    Object.entries(fields).flatMap(([field, { input: schema, initial }]) =>
      schema === undefined ? [] : [[field, initial]],
    ),
  )
  // Fields that were emptied when the person was anonymized stay empty, whatever the request says.
  const erased = Object.fromEntries(Object.entries(empty).filter(([field]) => fields[field]?.personal))
  const { anonymized } = fields[name] ?? {}
  const links: RecordState[] = []
  for (const [position, id] of ids.entries()) {
    const { id: _, externalId: __, ...given }: JsonObject = isObject(elements[position]) ? elements[position] : {}
    const previous = held.get(id) ?? null
    const start = previous ?? { ...blank(nested, {}, write), [parent.member]: owner.id }
    const accepted = { resource: nested, previous, parent: owner, base: `/${plural}/${position}` }
    const isGone = previous !== null && anonymized !== undefined && previous[anonymized.member] === true
    const values: JsonObject = { ...empty, ...given, ...(isGone ? erased : {}), [name]: id }
    // An owner may have a thousand links, and a request often changes only one.
    if (previous !== null && Object.entries(values).every(([field, value]) => previous[field] === value)) {
      links.push({ ...previous, position })
      continue
    }
    const link = accept(
      { ...accepted, input: values, links: new Map([[name, id]]) },
      { ...start, position },
      work,
      write,
    )
    if (link instanceof Refusal) return link
    links.push(link)
  }
  return putInOrder(links)
}

/** The steps from one set of links to the other. A link stays unchanged if only its position number differs. */
export function stepsBetween(
  nested: Nested,
  before: readonly RecordState[],
  after: readonly RecordState[],
  write: WriteContext,
): NestedStep[] {
  const held = new Map(before.map(link => [link.id, link]))
  const kept = new Set(after.map(({ id }) => id))
  const removed = before
    .filter(({ id }) => !kept.has(id))
    .map(link => ({ resource: nested, before: link, after: null }))
  const others = after.flatMap((link): NestedStep[] => {
    const previous = held.get(link.id)
    if (previous === undefined) return [{ resource: nested, before: null, after: link }]
    if (!isChanged(nested, previous, link)) return []
    return [{ resource: nested, before: previous, after: raised(previous, link, write) }]
  })
  return [...removed, ...others]
}

/**
 * The steps that move one link to its position among the existing ones: the first, or its present one, or the last. Only a link that
 * becomes the first requires all links to be put in order.
 */
export function stepsToPlace(
  nested: Nested,
  link: RecordState,
  before: readonly RecordState[],
  isFirst: boolean,
  write: WriteContext,
): NestedStep[] {
  const index = before.findIndex(({ id }) => id === link.id)
  const held = before[index]
  if (isFirst) {
    const others = before.filter(({ id }) => id !== link.id)
    const ordered = putInOrder([{ ...link, rank: held?.rank ?? '' }, ...others])
    return stepsBetween(
      nested,
      before,
      ordered.map((each, position) => ({ ...each, position })),
      write,
    )
  }
  if (held !== undefined) return stepsBetween(nested, [held], [{ ...link, position: index }], write)
  const [rank] = ranksBetween(rankOf(before.at(-1)?.rank), null, 1)
  return stepsBetween(nested, [], [{ ...link, rank, position: before.length }], write)
}

/** The field that refers to the linked record. */
export function referenceOf({ kind, parent, references }: Nested) {
  const reference = references.find(({ name }) => name === parent.uniqueReference)
  if (reference === undefined) throw new Error(`${kind} has no reference to a linked record`)
  return reference
}
