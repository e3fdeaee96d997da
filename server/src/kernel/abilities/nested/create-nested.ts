import { Refusal, unprocessable } from '../../errors/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation, type OperationDeclaration, type Request } from '../../operation.ts'
import { type Nested, type RecordState, type Resource, valueScopesOf, type WriteContext } from '../../record/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Row } from '../../sql/index.ts'
import { accept, blank, writeBehind } from '../../write/decide.ts'
import { needReferences, resolveReferences } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { operationGroup, recordSchema } from '../ability.ts'
import { refusalsOfFields, refusalsOfOwner, refusalsOfRoom } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { ancestorsIn, ancestry, needAncestors, topAddress } from './ancestry.ts'
import { answerPart, nestedDecision, nestedWriteScopes, topVersionSchema, type WrittenPart } from './nested-answer.ts'
import { placeIn, putAt } from './nested-place.ts'
import { projectNested } from './project-nested.ts'
import { reachTop } from './reach-top.ts'

/**
 * `POST …/<nested>`: 201 with the record and the parent's new version. No compare-and-set: two applications may add at
 * the same time (contract section 9).
 */
export function nestedCreate(nested: Nested): Operation {
  return defineOperation({
    ...nestedWriting(nested),
    id: `${nestedName(nested)}.create`,
    method: 'POST',
    path: nested.path,
    addresses: topAddress(nested),
    summary: `Add to the ${nested.plural} of a ${nested.parent.resource.kind}`,
    success: [201],
    body: nested.input.create,
    refuses: [...refusalsOfOwner(nested), ...refusalsOfFields(nested), ...refusalsOfRoom(nested)],
    execute(request, services) {
      const input = bodyOf(request)
      const place = placeIn(nested, request.path[nested.parent.parameter], input.position, null)
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, nested, request.path)
            needReferences(needs, nested, input, services.resources)
            if (nested.most !== null || nested.parent.isPlaced) needs.toLoad(place)
          },
          decide: (work, write) => decideNestedCreate(nested, input, request, work.read(place), work, write),
        },
        request.actor,
        services,
        answerPart(nested, 201),
      )
    },
  })
}

function decideNestedCreate(
  nested: Nested,
  input: JsonObject,
  request: Request,
  place: Row,
  work: WorkingSet,
  write: WriteContext,
): Decision<WrittenPart> | Refusal {
  const ancestors = ancestorsIn(work, nested, request.path)
  if (ancestors instanceof Refusal) return ancestors
  const { top, parent } = ancestors
  const links = resolveReferences(nested, input, work, '', null)
  if (links instanceof Refusal) return links
  if (nested.most !== null && Number(place.count ?? 0) >= nested.most) {
    const message = `There can be ${nested.most} at most`
    return unprocessable([{ path: '', rule: 'max_items', message }], { limit: nested.most })
  }
  const behind = writeBehind(top, write)
  const start: RecordState = { ...blank(nested, input, behind), [nested.parent.member]: parent.id }
  const next = accept({ resource: nested, previous: null, input, links, base: '', parent }, start, work, behind)
  if (next instanceof Refusal) return next
  const after = nested.parent.isPlaced ? putAt(next, null, place) : next
  const effect = reachTop(nested, [{ resource: nested, before: null, after }], ancestors.records, write)
  return nestedDecision(nested, after, effect, top, work)
}

/** What all nested writes have in common. */
export function nestedWriting(nested: Nested) {
  return {
    scopes: nestedWriteScopes(nested),
    answer: { data: recordSchema(nested), meta: topVersionSchema(nested) },
    valueScopes: (body: unknown) => valueScopesOf(nested.fields, body),
    project: projectNested.bind(null, nested),
  } satisfies Partial<OperationDeclaration>
}

/** `deals.items`: the first part of operation ids. */
export function nestedName(nested: Resource): string {
  return [...ancestry(nested).map(({ resource }) => resource), nested].map(operationGroup).join('.')
}
