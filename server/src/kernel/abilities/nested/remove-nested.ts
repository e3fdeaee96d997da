import { Refusal, versionConflict } from '../../errors/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import { embeddedKind, type Nested, type RecordState, topOf } from '../../record/index.ts'
import { mutate } from '../../write.ts'
import { refusalOfVersion, refusalsOfPart } from '../refusals.ts'
import { inspectRemoval, removalInput, removalOf } from '../removal-input.ts'
import { deletedSchema } from '../remove.ts'
import { ancestorsIn, needAncestors, nestedIn, topAddress } from './ancestry.ts'
import { nestedName, nestedWriting } from './create-nested.ts'
import { topVersion } from './nested-answer.ts'
import { reachTop } from './reach-top.ts'

/** `DELETE …/<nested>/:id?expectedVersion=`: removes the record with everything that belongs to it; answers the parent's version. */
export function nestedRemove(nested: Nested): Operation {
  const { query, body } = removalInput(`${nested.title}Delete`)
  const { answer, ...writing } = nestedWriting(nested)
  return defineOperation({
    ...writing,
    id: `${nestedName(nested)}.remove`,
    method: 'DELETE',
    path: `${nested.path}/{${nested.idParameter}}`,
    addresses: topAddress(nested),
    summary: `Delete one of the ${nested.plural} of a ${nested.parent.resource.kind}`,
    query,
    body,
    inspect: inspectRemoval,
    refuses: [...refusalsOfPart(nested), refusalOfVersion(nested)],
    answer: { data: deletedSchema, meta: answer.meta, name: `Deleted${topOf(nested).title}PartAnswer` },
    valueScopes: () => [],
    project: data => ({ data, redacted: [] }),
    execute(request, services) {
      const { expectedVersion } = removalOf(request)
      const id = request.path[nested.idParameter] ?? ''
      const embedded = embeddedKind(nested)
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, nested, request.path)
            needs.toLoadNested(nested, id)
            if (embedded !== undefined) needs.toLoadNestedIn(embedded, id)
          },
          decide(work, write) {
            const ancestors = ancestorsIn(work, nested, request.path)
            if (ancestors instanceof Refusal) return ancestors
            const before = nestedIn(work, nested, id, ancestors.parent)
            if (before instanceof Refusal) return before
            if (before.version !== expectedVersion) return versionConflict(before.version)
            const removed = (resource: Nested) => (each: RecordState) => ({ resource, before: each, after: null })
            const inside = embedded === undefined ? [] : work.nestedIn(embedded, id).map(removed(embedded))
            const steps = [...inside, removed(nested)(before)]
            const effect = reachTop(nested, steps, ancestors.records, write)
            work.apply(effect)
            return { result: effect.after }
          },
        },
        request.actor,
        services,
        top => ({ status: 200, data: { id, deleted: true }, meta: top === null ? {} : topVersion(nested, top) }),
      )
    },
  })
}
