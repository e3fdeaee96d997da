import { refuseMissingScopes } from '../auth/index.ts'
import { type Issue, malformed, Refusal, refuse, violates } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import { mutate } from '../mutation.ts'
import type { Operation, Request } from '../operation.ts'
import { represent } from '../record/codec.ts'
import { presentingWrite } from '../record/present.ts'
import { valueScopesOf } from '../record/record-input.ts'
import type { Resource, WriteContext } from '../record/resource.ts'
import { projectElements } from '../redact/index.ts'
import { isObject, type JsonObject } from '../schema/index.ts'
import { decideUpsert, type Step } from '../write/decide.ts'
import { needRecordWrite } from '../write/record-needs.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { basePath, writeScopes } from './ability.ts'
import { type BatchElement, batchBody, elementsOf, elementsSchema, refused } from './batch-get.ts'
import { Followers } from './nested/follow.ts'

/**
 * `POST /<kind>/batch/upsert`: up to 100 upserts, decided in order in one transaction. A refused element writes
 * nothing, the others commit; the answer is 200 even if all failed.
 */
export function batchUpsert(resource: Resource): Operation {
  const check = (value: unknown, path: string) => checkElement(resource, value, path)
  const { name, schema } = resource.input.upsert
  return {
    id: `${resource.plural}.batchUpsert`,
    method: 'POST',
    path: `${basePath(resource)}/batch/upsert`,
    summary: `Create or update up to ${limits.batchItems} ${resource.plural} by externalId`,
    description: 'Check every element: partial success is possible.',
    scopes: writeScopes(resource),
    success: [200],
    idempotent: true,
    bodyLimit: limits.batchBodyBytes,
    query: {},
    body: { ...batchBody(`${resource.title}BatchUpsert`, schema, check, undefined), itemName: name },
    answer: { data: elementsSchema(resource, 'BatchUpsertResult', 201, exampleRefusal), meta: countsMeta },
    project: (data, caller) => projectElements(resource, data, caller),
    execute(request, services) {
      const elements = elementsOf(request).map(element => guarded(resource, element, request))
      const followers = new Followers(resource, services.nestedResources)
      return mutate(
        {
          needs(needs, directory) {
            followers.begin(directory)
            for (const { value, refusal } of elements) {
              if (refusal === null) needRecordWrite(needs, resource, value, directory, services.resources)
            }
          },
          further(needs, work) {
            const changes = elements.filter(({ refusal }) => refusal === null).map(({ value }) => ({ input: value }))
            return followers.load(needs, work, changes)
          },
          decide: (work, write) => decideAll(resource, elements, followers, work, write),
        },
        request,
        services,
      )
    },
  }
}

const exampleRefusal = refuse('precondition_required', { currentVersion: 3 })
const count = (example: number) => ({ type: 'integer', minimum: 0, example })
const countsMeta = {
  title: 'BatchUpsertMeta',
  type: 'object',
  required: ['created', 'updated', 'unchanged', 'failed'],
  properties: { created: count(1), updated: count(0), unchanged: count(0), failed: count(1) },
}

interface GuardedElement {
  readonly value: JsonObject
  readonly refusal: Refusal | null
}

/** Gates 7 and 8 of one element. */
function guarded(resource: Resource, { value, issues, issueCount }: BatchElement, { caller }: Request): GuardedElement {
  if (issueCount > 0) return { value, refusal: malformed(issues, issueCount) }
  return { value, refusal: refuseMissingScopes(valueScopesOf(resource.fields, value), caller) }
}

function decideAll(
  resource: Resource,
  elements: readonly GuardedElement[],
  followers: Followers,
  work: WorkingSet,
  write: WriteContext,
) {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  const seen = new Set<unknown>()
  const personIds: string[] = []
  const data = elements.map(({ value, refusal }, index) => {
    // Asked of each element: a key counts as given also where its first element is refused.
    const repeated = refuseRepeated(seen, value.externalId, index)
    const base = `/items/${index}`
    const decided = refusal ?? repeated ?? decideUpsert(resource, value, base, work, write)
    const step = followers.follow(decided, base, work, write)
    if (step instanceof Refusal) {
      counts.failed += 1
      return refused(index, step)
    }
    if (step.effect !== null) work.apply(step.effect)
    if (resource.personal) personIds.push(step.record.id)
    counts[outcomeOf(step)] += 1
    return { index, status: step.status, data: represent(resource, step.record, presentingWrite(write)) }
  })
  return { status: 200, data, meta: counts, personIds }
}

function refuseRepeated(seen: Set<unknown>, externalId: unknown, index: number): Refusal | null {
  const repeated = seen.has(externalId)
  seen.add(externalId)
  const message = 'The same externalId stands earlier in this batch'
  return repeated ? violates(`/items/${index}/externalId`, 'unique', message, { reason: 'duplicate_in_batch' }) : null
}

function outcomeOf(step: Step): 'created' | 'updated' | 'unchanged' {
  if (step.status === 201) return 'created'
  return step.effect === null ? 'unchanged' : 'updated'
}

function checkElement(
  resource: Resource,
  value: unknown,
  path: string,
): { value: JsonObject; issues: readonly Issue[] } {
  const parsed = resource.input.upsert.parse(value)
  const issues = parsed.issues.map(issue => ({ ...issue, path: path + issue.path }))
  return { value: isObject(parsed.value) ? parsed.value : {}, issues }
}
