import { type Issue, Refusal } from '../errors/index.ts'
import { booleanParameter } from '../input/index.ts'
import type { Answer, Mutation } from '../mutation/index.ts'
import { defineOperation, type Operation, type OperationDeclaration, type Request } from '../operation.ts'
import { type Resource, represent, valueScopesOf, type WriteContext } from '../record/index.ts'
import { projectRecord } from '../redact/index.ts'
import { isObject, type JsonObject, type JsonSchema, objectSchema } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { Step } from '../write/decide.ts'
import { creating, type RecordChange, updating, upserting } from '../write/record-change.ts'
import { mutate } from '../write.ts'
import { addressedId, aRecord, ofRecord, operationGroup, recordSchema, writeScopes } from './ability.ts'
import {
  refusalOfVersion,
  refusalsOfFields,
  refusalsOfKey,
  refusalsOfPath,
  refusalsOfRoom,
  refusalsOfTakenKey,
} from './refusals.ts'

/** `POST /<kind>`: 201 with the record. */
export function create(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${operationGroup(resource)}.create`,
    method: 'POST',
    path: resource.path,
    summary: `Create ${aRecord(resource)}`,
    success: [201],
    body: resource.input.create,
    refuses: [
      ...refusalsOfKey(resource),
      ...refusalsOfFields(resource),
      ...refusalsOfTakenKey(resource),
      ...refusalsOfRoom(resource),
    ],
    execute(request, services) {
      return makeChange(creating(resource, bodyOf(request), services), request, services)
    },
  })
}

/** `PATCH /<kind>/:id`: merge-patch with compare-and-set; 200 with the record, unchanged if nothing changes. */
export function update(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${operationGroup(resource)}.update`,
    method: 'PATCH',
    ...ofRecord(resource),
    summary: `Update ${aRecord(resource)}`,
    description: `Absent members stay as they are, null clears, arrays replace. A change of nothing ${resource.conventions.synchronizes ? 'keeps the version' : 'changes nothing'}.`,
    body: resource.input.patch,
    refuses: [
      ...refusalsOfPath(resource),
      ...refusalsOfKey(resource),
      ...refusalsOfFields(resource),
      ...(resource.conventions.synchronizes ? [refusalOfVersion(resource)] : []),
      ...refusalsOfTakenKey(resource),
    ],
    execute(request, services) {
      return makeChange(updating(resource, addressedId(request), bodyOf(request), services), request, services)
    },
  })
}

/** `POST /<kind>/upsert`: create (201) or update (200) by the application's own key. */
export function upsert(resource: Resource): Operation {
  return defineOperation({
    ...writing(resource),
    id: `${resource.plural}.upsert`,
    method: 'POST',
    path: `${resource.path}/upsert`,
    summary: `Create or update a ${resource.kind} by externalId`,
    description:
      'An existing record needs its version as expectedVersion, or overwrite=true in the query (428 without both).',
    success: [200, 201],
    query: { overwrite: overwriteParameter },
    body: resource.input.upsert,
    inspect: ({ overwrite }, body) => (overwrite === true ? refuseVersion(body, '') : []),
    refuses: [
      ...refusalsOfKey(resource),
      ...refusalsOfFields(resource),
      ['precondition_required', `The ${resource.kind} exists, and \`expectedVersion\` and \`overwrite\` are missing.`],
      refusalOfVersion(resource),
      ['version_conflict', '`expectedVersion` names a version, and no record has the `externalId`.'],
    ],
    answer: { data: recordSchema(resource), meta: createdMeta, name: `${resource.title}UpsertAnswer` },
    execute(request, services) {
      const change = upserting(resource, bodyOf(request), services, request.query.overwrite === true)
      return mutate(single(change), request.actor, services, (step, write) => ({
        ...answerRecord(resource)(step, write),
        meta: { created: step.status === 201 },
      }))
    },
  })
}

/** `overwrite` of an upsert. */
export const overwriteParameter = booleanParameter(
  'Whether an existing record is changed at any version, without `expectedVersion`',
)

/** The issue with an upsert that is to overwrite and names a version too; `base` is the JSON pointer of its input. */
export function refuseVersion(input: unknown, base: string): Issue[] {
  if (!isObject(input) || input.expectedVersion === undefined) return []
  const message = 'With overwrite=true, leave out expectedVersion'
  return [{ path: `${base}/expectedVersion`, rule: 'exclusive', message }]
}

const createdMeta: JsonSchema = objectSchema('UpsertMeta', {
  created: { type: 'boolean', description: 'Whether the record was created, and not updated.' },
})

/** What all abilities that write one record have in common. */
export function writing(resource: Resource) {
  return {
    conventions: resource.conventions,
    scopes: writeScopes(resource),
    answer: { data: recordSchema(resource) },
    valueScopes: (body: unknown) => valueScopesOf(resource.fields, body),
    project: projectRecord.bind(null, resource),
  } satisfies Partial<OperationDeclaration>
}

/** The body of a request whose form was checked. */
export function bodyOf(request: Request): JsonObject {
  return isObject(request.body) ? request.body : {}
}

/** The answer of a write of one record: the record. */
const answerRecord =
  (resource: Resource) =>
  ({ status, record }: Step, write: WriteContext): Answer => ({
    status,
    data: represent(resource, record, write),
    shown: [{ resource, record }],
  })

/** Makes a single change; the answer is the record. */
export function makeChange(
  change: RecordChange,
  { actor }: Request,
  services: Services,
): ReturnType<Operation['execute']> {
  return mutate(single(change), actor, services, answerRecord(change.resource))
}

/** The mutation of a single change. */
function single(change: RecordChange): Mutation<Step> {
  return {
    needs: change.needs,
    decide(work, write) {
      const step = change.decide('', work, write)
      if (step instanceof Refusal) return step
      if (step.effect !== null) work.apply(step.effect)
      return { result: step }
    },
  }
}
