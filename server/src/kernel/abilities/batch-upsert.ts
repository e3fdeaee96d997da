import { refuseMissingScopes } from '../auth/index.ts'
import { type Issue, malformed, Refusal, refuse, violates } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Answer, Mutation } from '../mutation/index.ts'
import { defineOperation, type Operation, type Request } from '../operation.ts'
import { type Kinds, type Resource, represent, valueScopesOf, type WriteContext } from '../record/index.ts'
import { projectElements } from '../redact/index.ts'
import { countSchema, isObject, type JsonObject, objectSchema } from '../schema/index.ts'
import type { Step } from '../write/decide.ts'
import { decideEach, type RecordChange, refusing, upserting } from '../write/record-change.ts'
import type { Shown } from '../write/rows.ts'
import { mutate } from '../write.ts'
import { writeScopes } from './ability.ts'
import { batchBody, elementsAnswer, elementsOf, refused } from './batch-get.ts'
import { refusalOfErasure } from './refusals.ts'
import { overwriteParameter, refuseVersion } from './write-record.ts'

/**
 * `POST /<kind>/batch/upsert`: up to 100 upserts, decided in order in one transaction. A refused element writes
 * nothing, the others commit; the answer is 200 even if all failed.
 */
export function batchUpsert(resource: Resource): Operation {
  const check = (value: unknown, path: string) => checkElement(resource, value, path)
  const { name, schema } = resource.input.upsert
  return defineOperation({
    id: `${resource.plural}.batchUpsert`,
    method: 'POST',
    path: `${resource.path}/batch/upsert`,
    summary: `Create or update up to ${limits.batchItems} ${resource.plural} by externalId`,
    description:
      'Check every element: partial success is possible. `overwrite` is for all elements, and none may have an `expectedVersion` with it.',
    scopes: writeScopes(resource),
    bodyLimit: limits.batchBodyBytes,
    query: { overwrite: overwriteParameter },
    body: { ...batchBody(`${resource.title}BatchUpsert`, schema, check, undefined), itemName: name },
    answer: { ...elementsAnswer(resource, 'BatchUpsertResult', 201, exampleRefusal), meta: countsMeta },
    // Elements are refused one by one; the whole batch is refused only if its stored answer mentioned a person who was erased.
    refuses: resource.personal ? [refusalOfErasure] : [],
    project: (data, caller) => projectElements(resource, data, caller),
    execute(request, services) {
      const changes = changesOf(resource, request, services)
      return mutate(batch(changes), request.actor, services, answerBatch(resource))
    },
  })
}

const exampleRefusal = refuse('precondition_required', { currentVersion: 3 })
const countsMeta = objectSchema('BatchUpsertMeta', {
  created: countSchema('Elements that created a record.', 1),
  updated: countSchema('Elements that changed a record.', 0),
  unchanged: countSchema('Elements that say what the record has already.', 0),
  failed: countSchema('Elements that were refused.', 1),
})

/** The change of each element, or its refusal: by gates 7 and 8, or because an earlier element has the same key. */
function changesOf(resource: Resource, request: Request, kinds: Kinds): readonly RecordChange[] {
  const { caller, query } = request
  const overwrites = query.overwrite === true
  const seen = new Set<unknown>()
  return elementsOf(request).map(({ value, issues, issueCount }, index) => {
    const versions = overwrites ? refuseVersion(value, `/items/${index}`) : []
    const wrong = issueCount > 0 ? { issues, issueCount } : { issues: versions, issueCount: versions.length }
    const malformedElement = wrong.issueCount > 0 ? malformed(wrong.issues, wrong.issueCount) : null
    const refusal = malformedElement ?? refuseMissingScopes(valueScopesOf(resource.fields, value), caller)
    // Every element counts here, because even a refused element reserves its key.
    const repeated = refuseRepeated(seen, value.externalId, index)
    const refused = refusal ?? repeated
    return refused === null ? upserting(resource, value, kinds, overwrites) : refusing(resource, refused)
  })
}

/** The mutation for all elements together. */
function batch(changes: readonly RecordChange[]): Mutation<readonly (Step | Refusal)[]> {
  return {
    needs(needs, work, configuration) {
      for (const change of changes) change.needs(needs, work, configuration)
    },
    *decide(work, write) {
      return { result: yield* decideEach(changes, index => `/items/${index}`, work, write) }
    },
  }
}

/** The answer of a batch, with a result for each element. */
function answerBatch(resource: Resource) {
  return function* (steps: readonly (Step | Refusal)[], write: WriteContext): Generator<unknown, Answer> {
    const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
    const shown: Shown[] = []
    const data: JsonObject[] = []
    for (const [index, step] of steps.entries()) {
      yield
      if (step instanceof Refusal) {
        counts.failed += 1
        data.push(refused(index, step))
        continue
      }
      shown.push({ resource, record: step.record })
      counts[outcomeOf(step)] += 1
      data.push({ index, status: step.status, data: represent(resource, step.record, write) })
    }
    return { status: 200, data, meta: counts, shown }
  }
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
