import { Refusal } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import { type Decision, type Mutation, mutate } from '../mutation.ts'
import type { Operation, Request } from '../operation.ts'
import { projectRecord } from '../redact/index.ts'
import { isObject, type JsonObject, type JsonSchema } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { basePath, recordSchema, writeScopes } from './ability.ts'
import { decideCreate, decideUpdate, decideUpsert, type Step } from './decide.ts'
import { valueScopesOf } from './input.ts'
import { represent } from './record.ts'
import { needNewRecord, needRecordWrite } from './record-needs.ts'
import type { Resource, WriteContext } from './resource.ts'

/** `POST /<kind>`: 201 with the record. */
export function create(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.create`,
    method: 'POST',
    path: basePath(resource),
    summary: `Create a ${resource.kind}`,
    success: [201],
    body: resource.input.create,
    execute: (request, services) => mutateNew(resource, request, services),
  }
}

/** `PATCH /<kind>/:id`: merge-patch with compare-and-set; 200 with the record, unchanged when nothing changes. */
export function update(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.update`,
    method: 'PATCH',
    path: `${basePath(resource)}/{id}`,
    summary: `Update a ${resource.kind}`,
    description: 'Absent members stay as they are, null clears, arrays replace. A change of nothing keeps the version.',
    success: [200],
    body: resource.input.patch,
    execute(request, services) {
      const { id = '' } = request.path
      const decide: Decide = (kind, input, base, work, write) => decideUpdate(kind, id, input, base, work, write)
      return mutateOne(resource, request, services, bodyOf(request), decide, noMeta, id)
    },
  }
}

/** `POST /<kind>/upsert`: create (201) or update (200) by the application's own key. */
export function upsert(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.upsert`,
    method: 'POST',
    path: `${basePath(resource)}/upsert`,
    summary: `Create or update a ${resource.kind} by externalId`,
    description: 'An existing record needs its version as expectedVersion (428 without it).',
    success: [200, 201],
    body: resource.input.upsert,
    answer: { data: recordSchema(resource), meta: createdMeta },
    execute(request, services) {
      const meta = (step: Step) => ({ created: step.status === 201 })
      return mutateOne(resource, request, services, bodyOf(request), decideUpsert, meta)
    },
  }
}

type Decide = (
  resource: Resource,
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
) => Step | Refusal

const createdMeta: JsonSchema = {
  title: 'UpsertMeta',
  type: 'object',
  required: ['created'],
  properties: { created: { type: 'boolean' } },
}
const noMeta = () => ({})

/** What all abilities that write one record have in common. */
export function writing(resource: Resource) {
  return {
    scopes: writeScopes(resource),
    idempotent: true,
    bodyLimit: limits.jsonBodyBytes,
    query: {},
    answer: { data: recordSchema(resource), meta: { type: 'object' } },
    valueScopes: (body: unknown) => valueScopesOf(resource.fields, body),
    project: projectRecord.bind(null, resource),
  } satisfies Partial<Operation>
}

function mutateOne(
  resource: Resource,
  request: Request,
  services: Services,
  input: JsonObject,
  decide: Decide,
  meta: (step: Step) => JsonObject,
  id?: string,
) {
  const mutation: Mutation = {
    needs: (needs, directory) => needRecordWrite(needs, resource, input, directory, services.resources, id),
    decide(work, write) {
      const step = decide(resource, input, '', work, write)
      return step instanceof Refusal ? step : decisionOf(resource, step, work, write, meta(step))
    },
  }
  return mutate(mutation, request, services)
}

/** A create asks for its key alone; the record that holds it already is loaded only to name its version. */
function mutateNew(resource: Resource, request: Request, services: Services) {
  const input = bodyOf(request)
  let conflictLoaded = false
  const mutation: Mutation = {
    needs(needs, directory) {
      conflictLoaded = false
      needNewRecord(needs, resource, input, directory, services.resources)
    },
    further(needs, work) {
      const mapping = typeof input.externalId === 'string' ? work.key(resource.kind, input.externalId) : null
      if (conflictLoaded || mapping?.state !== 'live') return false
      conflictLoaded = true
      // The key is asked again: while this waits for the row, its holder may be removed.
      work.forgetKey(resource.kind, String(input.externalId))
      needs.toChange(resource, { id: mapping.resourceId })
      needs.toChange(resource, { externalId: String(input.externalId) })
      return true
    },
    decide(work, write) {
      const step = decideCreate(resource, input, '', work, write)
      return step instanceof Refusal ? step : decisionOf(resource, step, work, write, {})
    },
  }
  return mutate(mutation, request, services)
}

/** The decision of a single write: applies the step and answers the record. */
export function decisionOf(
  resource: Resource,
  step: Step,
  work: WorkingSet,
  write: WriteContext,
  meta: JsonObject,
): Decision {
  if (step.effect !== null) work.apply(step.effect)
  const data = represent(resource, step.record, write.directory.organization)
  return { status: step.status, data, meta, personIds: resource.personal ? [step.record.id] : [] }
}

/** The body of a request whose form was checked. */
export function bodyOf(request: Request): JsonObject {
  return isObject(request.body) ? request.body : {}
}
