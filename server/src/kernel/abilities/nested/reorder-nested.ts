import { Refusal, unprocessable, versionConflict } from '../../errors/index.ts'
import type { BodyDeclaration } from '../../input/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import {
  expectedVersionSchema,
  isNested,
  type Nested,
  type NestedStep,
  type RecordState,
  type WriteContext,
} from '../../record/index.ts'
import { compileSchema, type JsonObject, uuidSchema } from '../../schema/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { recordSchema } from '../ability.ts'
import { refusalOfVersion, refusalsOfOwner } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { ancestorsIn, needAncestors, topAddress } from './ancestry.ts'
import { nestedName, nestedWriting } from './create-nested.ts'
import { answerPart, byPosition, nestedDecision, type WrittenPart } from './nested-answer.ts'
import { projectNested } from './project-nested.ts'
import { reachTop } from './reach-top.ts'

/**
 * `POST …/<nested>/reorder`: puts the embedded records of a nested record into a new order (contract section 7). 200 with the nested
 * record; 422 unless the ids are exactly those of its embedded records. The version is compared only if the request gives one.
 */
export function nestedReorder(nested: Nested, idsMember: string): Operation {
  const owner = ownerOf(nested)
  return defineOperation({
    ...nestedWriting(nested),
    id: `${nestedName(nested)}.reorder`,
    method: 'POST',
    path: `${nested.path}/reorder`,
    addresses: topAddress(nested),
    summary: `Reorder the ${nested.plural} of a ${owner.kind}`,
    description: `All ids, each once, in the new order. expectedVersion is that of the ${owner.kind}.`,
    body: reorderInput(nested, idsMember),
    refuses: [
      ...refusalsOfOwner(nested),
      refusalOfVersion(owner),
      ['unprocessable', `The ids are not those of all ${nested.plural.replaceAll('-', ' ')} there.`],
    ],
    answer: { data: recordSchema(owner), meta: nestedWriting(nested).answer.meta },
    project: projectNested.bind(null, owner),
    execute(request, services) {
      const input = bodyOf(request)
      const { [idsMember]: given, expectedVersion } = input
      const ids = Array.isArray(given) ? given.map(id => String(id).toLowerCase()) : []
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, nested, request.path)
            needs.toLoadNestedIn(nested, request.path[nested.parent.parameter] ?? '')
          },
          decide: (work, write) => decideReorder(nested, idsMember, ids, expectedVersion, request, work, write),
        },
        request.actor,
        services,
        answerPart(owner),
      )
    },
  })
}

function decideReorder(
  nested: Nested,
  idsMember: string,
  ids: readonly string[],
  expectedVersion: unknown,
  request: Request,
  work: WorkingSet,
  write: WriteContext,
): Decision<WrittenPart> | Refusal {
  const ancestors = ancestorsIn(work, nested, request.path)
  if (ancestors instanceof Refusal) return ancestors
  const { top, parent: record } = ancestors
  if (expectedVersion !== undefined && expectedVersion !== record.version) return versionConflict(record.version)
  const before = work.nestedIn(nested, record.id).sort(byPosition)
  const wrong = refuseOtherIds(ids, before, `/${idsMember}`)
  if (wrong !== null) return wrong

  const owner = ownerOf(nested)
  const steps = movesTo(ids, nested, before)
  if (steps.length === 0) return nestedDecision(owner, record, null, top, work)
  const effect = reachTop(nested, steps, ancestors.records, write)
  const raised = effect.nested?.find(({ resource }) => resource === owner)?.after ?? record
  return nestedDecision(owner, raised, effect, top, work)
}

/** 422 unless the ids name each record exactly once, and nothing else. */
function refuseOtherIds(ids: readonly string[], records: readonly RecordState[], path: string): Refusal | null {
  const known = new Set(records.map(({ id }) => id))
  const given = new Set(ids)
  const details = {
    missing: [...known].filter(id => !given.has(id)),
    unexpected: [...given].filter(id => !known.has(id)),
    duplicates: [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))],
  }
  if (Object.values(details).every(each => each.length === 0)) return null
  const message = 'All ids are expected, each of them once'
  return unprocessable([{ path, rule: 'permutation', message }], details)
}

/** The records at their new positions. They exchange their ranks, and keep their versions (contract section 17.11). */
function movesTo(ids: readonly string[], nested: Nested, before: readonly RecordState[]): NestedStep[] {
  return before.flatMap((record, place) => {
    const position = ids.indexOf(record.id)
    if (position === place) return []
    return [{ resource: nested, before: record, after: { ...record, position, rank: before[position]?.rank } }]
  })
}

function reorderInput(nested: Nested, idsMember: string): BodyDeclaration {
  const schema: JsonObject = {
    type: 'object',
    required: [idsMember],
    properties: {
      [idsMember]: {
        type: 'array',
        maxItems: nested.most,
        items: uuidSchema,
        description: 'All ids, each once, in the new order.',
        example: ['019bd1c8-7c40-7a01-8d0f-5b8a6de0c3f4', '019bd1c8-7c40-7a02-8a84-45890fc83975'],
      },
      expectedVersion: expectedVersionSchema,
    },
    additionalProperties: false,
  }
  const check = compileSchema(schema)
  return {
    name: `${nested.title}Reorder`,
    schema,
    required: true,
    parse: body => ({ value: body, issues: check(body, '') }),
  }
}

/** The kind of nested records that contains this kind. */
function ownerOf({ kind, parent }: Nested): Nested {
  const { resource } = parent
  if (!isNested(resource)) throw new Error(`${kind} is not embedded in another kind`)
  return resource
}
