import { notFound, Refusal, versionConflict } from '../../errors/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import { type Nested, type RecordState, topOf, type WriteContext } from '../../record/index.ts'
import type { JsonObject, JsonSchema, Reference } from '../../schema/index.ts'
import { firstRefusal, referencesIn, refuseDoubled } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { refusalOfVersion, refusalsOfOwner, refusalsOfReference } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { needAncestors, topAddress } from './ancestry.ts'
import { nestedName, nestedWriting } from './create-nested.ts'
import { linkStates, referenceOf, stepsBetween } from './link-set.ts'
import { byPosition, nestedSchema, representNested } from './nested-answer.ts'
import { reachTop } from './reach-top.ts'
import { replaceInput } from './replace-links-input.ts'

/**
 * `PUT …/<nested>` for the links of a resource: compare-and-set on the resource, then all its links in the given order; the first is
 * primary (contract section 7, "Company contacts"). A link that stays keeps its row; fields that the request omits become empty. 200 with
 * all links. If nothing changes, the version stays.
 */
export function nestedReplace(nested: Nested): Operation {
  const top = topOf(nested)
  return defineOperation({
    ...nestedWriting(nested),
    id: `${nestedName(nested)}.replace`,
    method: 'PUT',
    path: nested.path,
    addresses: topAddress(nested),
    summary: `Replace the ${nested.plural} of a ${top.kind}`,
    description: `The whole set, in order; the first is primary. expectedVersion is that of the ${top.kind}.`,
    body: replaceInput(nested),
    refuses: [
      ...refusalsOfOwner(nested),
      ...refusalsOfReference,
      refusalOfVersion(top),
      ['unprocessable', 'Two references lead to one record.'],
    ],
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
        request.actor,
        services,
        ({ links, version }, write) => ({
          status: 200,
          data: links.map(link => representNested(nested, link, [], write)),
          meta: { version },
          shown: links.map(record => ({ resource: nested, record })),
        }),
      )
    },
  })
}

/** All links of a record, and its version. */
interface ReplacedLinks {
  readonly links: readonly RecordState[]
  readonly version: number
}

function decideReplace(
  nested: Nested,
  id: string,
  input: JsonObject,
  work: WorkingSet,
  write: WriteContext,
): Decision<ReplacedLinks> | Refusal {
  const { plural, parent } = nested
  const owner = work.record(parent.resource.kind, id)
  if (owner === null) return notFound()
  const before = work.nestedIn(nested, id).sort(byPosition)
  const ids = resolveAll(nested, referencesIn(input[plural]), before, work)
  if (ids instanceof Refusal) return ids
  if (input.expectedVersion !== owner.version) return versionConflict(owner.version)
  const doubled = refuseDoubled(new Map([[plural, ids]]), '')
  if (doubled !== null) return doubled

  const elements = input[plural]
  const links = linkStates(nested, owner, ids, Array.isArray(elements) ? elements : [], before, work, write)
  if (links instanceof Refusal) return links
  const steps = stepsBetween(nested, before, links, write)
  const effect = steps.length === 0 ? null : reachTop(nested, steps, [owner], write)
  if (effect !== null) work.apply(effect)
  const { version } = effect?.after ?? owner
  return { result: { links: steps.length === 0 ? before : links, version } }
}

/** Gates 10 and 11. A link may stay although its record was anonymized. */
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

function versionMeta(kind: string, title: string): JsonSchema {
  return {
    title: `${title}SetMeta`,
    type: 'object',
    required: ['version'],
    properties: { version: { type: 'integer', minimum: 1, description: `The version of the ${kind} now.` } },
  }
}
