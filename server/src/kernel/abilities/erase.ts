import { wordParameter } from '../input/index.ts'
import { defineOperation, type Operation } from '../operation.ts'
import type { Resource } from '../record/index.ts'
import { addressedId, deleteScopes, ofRecord } from './ability.ts'
import { refusalOfBlockers, refusalOfVersion, refusalsOfPath } from './refusals.ts'
import { carryOutRemoval } from './removal/carry-out-removal.ts'
import { removedMeta, removedSchema } from './removal/removal-answer.ts'
import { type RemovalMode, removalModes } from './removal/removal-plan.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'

/**
 * `DELETE /contacts/:id?expectedVersion=&mode=`: erases a person. `anonymize`, the default, empties the record and
 * keeps it for the records that link to it. `full` removes the record, unlinks it everywhere and makes its keys
 * tombstones. Both also reach search text, keys, audit values and stored answers, and leave a receipt (contract section
 * 8).
 */
export function erase(resource: Resource): Operation {
  const mode = wordParameter('RemovalMode', removalModes, 'What becomes of the record, anonymize unless given')
  const input = removalInput(`${resource.title}Delete`, { mode })
  return defineOperation({
    id: `${resource.plural}.remove`,
    method: 'DELETE',
    ...ofRecord(resource),
    summary: `Anonymize a ${resource.kind}, or delete it`,
    description:
      'Without a mode it is anonymized: emptied, and kept for those that link to it. The mode full deletes it, and unlinks it everywhere. ' +
      'The other way, delete/commit, follows a preview, and needs a mode.',
    scopes: deleteScopes(resource),
    needsFreshSignIn: true,
    query: input.query,
    body: input.body,
    inspect: inspectRemoval,
    answer: { data: removedSchema(resource), meta: removedMeta(resource) },
    refuses: [...refusalsOfPath(resource), refusalOfVersion(resource), refusalOfBlockers],
    execute(request, services) {
      const { expectedVersion, mode: given } = removalOf(request)
      const id = addressedId(request)
      const mode: RemovalMode = given === 'full' ? 'full' : 'anonymize'
      return carryOutRemoval({ resource, id, mode, expectedVersion }, request, services)
    },
  })
}
