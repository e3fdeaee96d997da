import { Refusal, versionConflict } from '../../errors/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import { type Nested, topOf } from '../../record/index.ts'
import { objectSchema, uuidSchema } from '../../schema/index.ts'
import { mutate } from '../../write.ts'
import { ancestorsIn, needAncestors, nestedIn, topAddress } from '../nested/ancestry.ts'
import { nestedName } from '../nested/create-nested.ts'
import { nestedWriteScopes } from '../nested/nested-answer.ts'
import { reachTop } from '../nested/reach-top.ts'
import { refusalOfVersion, refusalsOfPart } from '../refusals.ts'
import { inspectRemoval, removalInput, removalOf } from '../removal-input.ts'
import { forgetAttached } from './forget-attached.ts'

/**
 * `DELETE …/files/:fileId?expectedVersion=`: compare-and-set on the record, then detaches the file. The file itself stays (specification,
 * "Attachments"), unless its attachment owns it: then it is removed, and its bytes after the commit.
 */
export function detachFile(attachment: Nested): Operation {
  const { kind } = attachment.parent.resource
  const { query, body } = removalInput(`${attachment.title}Detach`)
  return defineOperation({
    id: `${nestedName(attachment)}.detach`,
    method: 'DELETE',
    path: `${attachment.path}/{${attachment.idParameter}}`,
    addresses: topAddress(attachment),
    summary: `Detach a file from a ${kind}`,
    description: `expectedVersion is that of the ${kind}. The file ${attachment.ownsFile ? 'is removed' : 'stays in storage'}.`,
    scopes: nestedWriteScopes(attachment),
    query,
    body,
    inspect: inspectRemoval,
    refuses: [...refusalsOfPart(attachment), refusalOfVersion(topOf(attachment))],
    answer: { data: detachedSchema },
    execute(request, services) {
      const { expectedVersion } = removalOf(request)
      const id = request.path[attachment.idParameter] ?? ''
      return mutate(
        {
          needs(needs) {
            needAncestors(needs, attachment, request.path)
            needs.toLoadNested(attachment, id)
          },
          decide(work, write) {
            const ancestors = ancestorsIn(work, attachment, request.path)
            if (ancestors instanceof Refusal) return ancestors
            const before = nestedIn(work, attachment, id, ancestors.parent)
            if (before instanceof Refusal) return before
            const { top, records } = ancestors
            if (top.version !== expectedVersion) return versionConflict(top.version)
            const effect = reachTop(attachment, [{ resource: attachment, before, after: null }], records, write)
            work.apply(effect)
            const removed = attachment.ownsFile ? forgetAttached(write.organizationId, [before]) : {}
            return { result: effect.after?.version ?? top.version, ...removed }
          },
        },
        request.actor,
        services,
        version => ({ status: 200, data: { id, detached: true, version } }),
      )
    },
  })
}

const detachedSchema = objectSchema('Detached', {
  id: uuidSchema,
  detached: { type: 'boolean', description: 'Always true.', example: true },
  version: { type: 'integer', minimum: 1, description: 'The version of the record now.' },
})
