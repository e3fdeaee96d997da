import { Refusal, versionConflict } from '../../errors/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import { embeddedKind, type Nested, type WriteContext } from '../../record/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Row } from '../../sql/index.ts'
import { accept, raised, writeBehind } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import { needReferences, resolveReferences } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { refusalOfVersion, refusalsOfFields, refusalsOfPart } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { ancestorsIn, needAncestors, nestedIn, topAddress } from './ancestry.ts'
import { nestedName, nestedWriting } from './create-nested.ts'
import { answerPart, nestedDecision, type WrittenPart } from './nested-answer.ts'
import { placeIn, putAt } from './nested-place.ts'
import { reachTop } from './reach-top.ts'

/** `PATCH …/<nested>/:id`: compare-and-set on the nested record; 200 with the record and the parent's version. */
export function nestedUpdate(nested: Nested): Operation {
  return defineOperation({
    ...nestedWriting(nested),
    id: `${nestedName(nested)}.update`,
    method: 'PATCH',
    path: `${nested.path}/{${nested.idParameter}}`,
    addresses: topAddress(nested),
    summary: `Change one of the ${nested.plural} of a ${nested.parent.resource.kind}`,
    description: 'expectedVersion is the version of the nested record. A change of nothing keeps all versions.',
    body: nested.input.patch,
    refuses: [...refusalsOfPart(nested), ...refusalsOfFields(nested), refusalOfVersion(nested)],
    execute(request, services) {
      const input = bodyOf(request)
      const id = request.path[nested.idParameter] ?? ''
      const embedded = embeddedKind(nested)
      const place = placeIn(nested, request.path[nested.parent.parameter], input.position, id)
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, nested, request.path)
            needs.toLoadNested(nested, id)
            if (input.position !== undefined) needs.toLoad(place)
            if (embedded !== undefined) needs.toLoadNestedIn(embedded, id)
            needReferences(needs, nested, input, services.resources)
          },
          decide: (work, write) => decideNestedUpdate(nested, id, input, request, work.read(place), work, write),
        },
        request.actor,
        services,
        answerPart(nested),
      )
    },
  })
}

function decideNestedUpdate(
  nested: Nested,
  id: string,
  input: JsonObject,
  request: Request,
  place: Row,
  work: WorkingSet,
  write: WriteContext,
): Decision<WrittenPart> | Refusal {
  const ancestors = ancestorsIn(work, nested, request.path)
  if (ancestors instanceof Refusal) return ancestors
  const { top, parent } = ancestors
  const before = nestedIn(work, nested, id, parent)
  if (before instanceof Refusal) return before
  const links = resolveReferences(nested, input, work, '', before)
  if (links instanceof Refusal) return links
  if (input.expectedVersion !== before.version) return versionConflict(before.version)
  const behind = writeBehind(top, write)
  const accepted = accept({ resource: nested, previous: before, input, links, base: '', parent }, before, work, behind)
  if (accepted instanceof Refusal) return accepted
  const next = input.position === undefined ? accepted : putAt(accepted, before, place)
  if (!isChanged(nested, before, next)) return nestedDecision(nested, before, null, top, work)
  const after = raised(before, next, behind)
  const effect = reachTop(nested, [{ resource: nested, before, after }], ancestors.records, write)
  return nestedDecision(nested, after, effect, top, work)
}
