import { defineOperation } from '../../define-operation.ts'
import { notFound, Refusal, versionConflict } from '../../errors/index.ts'
import { type Decision, mutate } from '../../mutation.ts'
import type { Operation } from '../../operation.ts'
import { presentingWrite } from '../../record/codec.ts'
import { type Nested, topOf } from '../../record/define-nested.ts'
import type { NestedStep, RecordState, WriteContext } from '../../record/resource.ts'
import { isObject, type JsonObject, type JsonSchema, type Reference } from '../../schema/index.ts'
import { accept, blank, raised } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import { firstRefusal, referencesIn, refuseDoubled } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { refusalsOfReference } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { collectionPath, needAncestors, topAddress } from './ancestry.ts'
import { nestedName, nestedWriting } from './create-nested.ts'
import { byPosition, nestedSchema, representNested } from './nested-answer.ts'
import { putInOrder } from './nested-place.ts'
import { reachTop } from './reach-top.ts'
import { replaceInput } from './replace-links-input.ts'

/**
 * `PUT …/<nested>` for the links of a resource: compare-and-set on the resource, then all its links in the given order;
 * the first is primary (contract section 7, "Company contacts"). A link that stays keeps its row; fields that the
 * request leaves out become empty. 200 with all links. If nothing changes, the version stays.
 */
export function nestedReplace(nested: Nested): Operation {
  const top = topOf(nested)
  return defineOperation({
    ...nestedWriting(nested),
    id: `${nestedName(nested)}.replace`,
    method: 'PUT',
    path: collectionPath(nested),
    addresses: topAddress(nested),
    summary: `Replace the ${nested.plural} of a ${top.kind}`,
    description: `The whole set, in order; the first is primary. expectedVersion is that of the ${top.kind}.`,
    body: replaceInput(nested),
    refuses: [...refusalsOfReference, 'version_conflict', 'unprocessable'],
    answer: { data: { type: 'array', items: nestedSchema(nested) }, meta: versionMeta(top.kind, top.title) },
    execute(request, services) {
      const input = bodyOf(request)
      const id = request.path[nested.parent.parameter] ?? ''
      const target = services.resources.find(({ kind }) => kind === referenceOf(nested).kind)
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, nested, request.path)
            needs.toLoadNestedIn(nested, id)
            if (target !== undefined)
              for (const reference of referencesIn(input[nested.plural])) needs.toRefer(target, reference)
          },
          decide: (work, write) => decideReplace(nested, id, input, work, write),
        },
        request.writer,
        services,
      )
    },
  })
}

function decideReplace(
  nested: Nested,
  id: string,
  input: JsonObject,
  work: WorkingSet,
  write: WriteContext,
): Decision | Refusal {
  const { plural, parent } = nested
  const owner = work.record(parent.resource.kind, id)
  if (owner === null) return notFound()
  const before = work.nestedIn(nested, id).sort(byPosition)
  const ids = resolveAll(nested, referencesIn(input[plural]), before, work)
  if (ids instanceof Refusal) return ids
  if (input.expectedVersion !== owner.version) return versionConflict(owner.version)
  const doubled = refuseDoubled(new Map([[plural, ids]]), '')
  if (doubled !== null) return doubled

  const links = linksOf(nested, owner, ids, input, before, work, write)
  if (links instanceof Refusal) return links
  const steps = stepsBetween(nested, before, links, write)
  const effect = steps.length === 0 ? null : reachTop(nested, steps, [owner], write)
  if (effect !== null) work.apply(effect)
  const shown = steps.length === 0 ? before : links
  return {
    status: 200,
    data: shown.map(link => representNested(nested, link, [], presentingWrite(write))),
    meta: { version: effect?.after?.version ?? owner.version },
    shown: shown.map(record => ({ resource: nested, record })),
  }
}

/** Gates 10 and 11. A link to a record that was anonymized since may stay. */
function resolveAll(
  nested: Nested,
  references: readonly Reference[],
  before: readonly RecordState[],
  work: WorkingSet,
): string[] | Refusal {
  const { kind, name } = referenceOf(nested)
  const held = before.map(link => link[name])
  const found = references.map((reference, index) => work.resolve(kind, reference, `/${nested.plural}/${index}`, held))
  const refusal = firstRefusal(found.filter(id => id instanceof Refusal))
  return refusal ?? found.filter(id => typeof id === 'string')
}

/** The links after the replacement, in order. */
function linksOf(
  nested: Nested,
  owner: RecordState,
  ids: readonly string[],
  input: JsonObject,
  before: readonly RecordState[],
  work: WorkingSet,
  write: WriteContext,
): RecordState[] | Refusal {
  const { parent, plural, fields } = nested
  const { name } = referenceOf(nested)
  const held = new Map(before.map(link => [link[name], link]))
  const elements = Array.isArray(input[plural]) ? input[plural] : []
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
    const values = { ...empty, ...given, ...(isGone ? erased : {}), [name]: id }
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

/** The steps from one set of links to the other. A link is left as it is if only its position number differs. */
function stepsBetween(
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

/** The field that refers to the linked record. */
function referenceOf({ kind, parent, references }: Nested) {
  const reference = references.find(({ name }) => name === parent.uniqueReference)
  if (reference === undefined) throw new Error(`${kind} links nothing`)
  return reference
}

function versionMeta(kind: string, title: string): JsonSchema {
  return {
    title: `${title}SetMeta`,
    type: 'object',
    required: ['version'],
    properties: { version: { type: 'integer', minimum: 1, description: `The version of the ${kind} now.` } },
  }
}
