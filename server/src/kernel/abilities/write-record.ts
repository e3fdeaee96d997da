import type { OperationDeclaration } from '../define-operation.ts'
import { Refusal } from '../errors/index.ts'
import type { Decision, Mutation } from '../mutation.ts'
import type { Request } from '../operation.ts'
import { represent } from '../record/codec.ts'
import { presentingWrite } from '../record/present.ts'
import { valueScopesOf } from '../record/record-input.ts'
import type { Resource, WriteContext } from '../record/resource.ts'
import { projectRecord } from '../redact/index.ts'
import { isObject, type JsonObject } from '../schema/index.ts'
import type { Step } from '../write/decide.ts'
import type { RecordChange } from '../write/record-change.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { recordSchema, writeScopes } from './ability.ts'

/** What all abilities that write one record have in common. */
export function writing(resource: Resource) {
  return {
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

/** The decision of a single write: applies the step and answers the record. */
function decisionOf(resource: Resource, step: Step, work: WorkingSet, write: WriteContext, meta: JsonObject): Decision {
  if (step.effect !== null) work.apply(step.effect)
  const data = represent(resource, step.record, presentingWrite(write))
  return { status: step.status, data, meta, shown: [{ resource, record: step.record }] }
}

/** The mutation of a single change, whose answer is the record. */
export function single(change: RecordChange, metaOf: (step: Step) => JsonObject = () => ({})): Mutation {
  return {
    needs: (needs, work, directory) => change.needs(needs, work, directory),
    decide(work, write) {
      const step = change.decide('', work, write)
      return step instanceof Refusal ? step : decisionOf(change.resource, step, work, write, metaOf(step))
    },
  }
}
