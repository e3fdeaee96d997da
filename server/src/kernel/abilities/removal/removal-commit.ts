import { defineOperation, type Operation } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import { compileSchema, isObject, type JsonSchema } from '../../schema/index.ts'
import { addressedId, deleteScopes, ofRecord } from '../ability.ts'
import { refusalOfBlockers, refusalOfVersion, refusalsOfPath } from '../refusals.ts'
import { carryOutRemoval } from './carry-out-removal.ts'
import { removedMeta, removedSchema } from './removal-answer.ts'
import { type RemovalMode, removalModeSchema } from './removal-plan.ts'

const modes =
  'The mode full deletes it and unlinks it everywhere; anonymize empties it, and keeps it for those that link to it.'

/**
 * `POST /<kind>/:id/delete/commit`: removes a record as its preview showed. A person is anonymized or fully deleted, as `mode` says; a
 * company is deleted and unlinked (specification, "Merge and delete of contacts and companies").
 */
export function removalCommit(resource: Resource): Operation {
  const { personal, title, plural, kind } = resource
  const schema = commitSchema(personal)
  const check = compileSchema(schema)
  return defineOperation({
    id: `${plural}.deleteCommit`,
    method: 'POST',
    ...ofRecord(resource, '/delete/commit'),
    summary: personal ? `Delete a ${kind} after a preview, or anonymize it` : `Delete a ${kind} and unlink it`,
    description: `With expectedVersion it is done only while the record has that version, such as that of the preview.${
      personal ? ` ${modes}` : ''
    }`,
    scopes: deleteScopes(resource),
    needsFreshSignIn: personal,
    body: {
      name: `${title}DeleteCommit`,
      schema,
      // The body is required even if all its members may be absent, so that an empty POST deletes nothing.
      required: true,
      parse: body => ({ value: body, issues: check(body, '') }),
    },
    answer: { data: removedSchema(resource), meta: removedMeta(resource) },
    refuses: [...refusalsOfPath(resource), refusalOfVersion(resource), refusalOfBlockers],
    execute(request, services) {
      const id = addressedId(request)
      const { expectedVersion, mode: given } = isObject(request.body) ? request.body : {}
      const mode: RemovalMode = given === 'anonymize' ? 'anonymize' : 'full'
      return carryOutRemoval({ resource, id, mode, expectedVersion }, request, services)
    },
  })
}

function commitSchema(personal: boolean): JsonSchema {
  const expectedVersion = {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version that the record must have, where it shall be compared.',
    example: 1,
  }
  const mode = { ...removalModeSchema, description: 'What becomes of the record.', example: 'anonymize' }
  return {
    type: 'object',
    required: personal ? ['mode'] : [],
    properties: { ...(personal ? { mode } : {}), expectedVersion },
    additionalProperties: false,
  }
}
