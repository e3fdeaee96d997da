import { notFound, Refusal, refuse, versionConflict } from '../errors/index.ts'
import type { BodyDeclaration } from '../input/index.ts'
import { defineOperation, type Operation } from '../operation.ts'
import { isAnonymized, type Lookup, type RecordState, type Resource, type WriteContext } from '../record/index.ts'
import type { JsonObject } from '../schema/index.ts'
import { stepTo, underBase, writeBehind } from '../write/decide.ts'
import type { RecordChange } from '../write/record-change.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { addressedId, ofRecord } from './ability.ts'
import { refusalOfVersion, refusalsOfPath } from './refusals.ts'
import { bodyOf, makeChange, writing } from './write-record.ts'

/** A change of a record with its own route and input. Summary and description say what it is for. */
export interface Transition extends Pick<Operation, 'summary' | 'description'> {
  /** The last word of the path and of the operation's id: `move`. */
  readonly verb: string
  readonly method: 'PATCH' | 'POST'
  /** Its members include `expectedVersion`. */
  readonly body: BodyDeclaration
  /** When `to` refuses: a sentence for the OpenAPI document. */
  readonly forbids: string
  /** Rows that `to` needs in addition to the record. */
  needs?(input: JsonObject, id: string): readonly Lookup<unknown>[]
  /** Pure: the next state, or a refusal (422). The write path sets version, times and author. */
  to(record: RecordState, input: JsonObject, work: WorkingSet, write: WriteContext): RecordState | Refusal
  /** The kind of the change event, such as `deal.moved`; null if it is `updated`. */
  eventKind(before: RecordState, after: RecordState): string | null
}

/**
 * `<method> /<kind>/:id/<verb>`: compare-and-set on the record, then the transition; 200 with the record, unchanged if nothing changes.
 * Gates 10, 11 and 13 are here, so a transition declares only its input and its rule.
 */
export function transition(resource: Resource, declared: Transition): Operation {
  const { verb, method, summary, description, body, forbids } = declared
  return defineOperation({
    ...writing(resource),
    id: `${resource.plural}.${verb}`,
    method,
    ...ofRecord(resource, `/${verb}`),
    summary,
    ...(description === undefined ? {} : { description }),
    body,
    refuses: [...refusalsOfPath(resource), refusalOfVersion(resource), ['unprocessable', forbids]],
    valueScopes: () => [],
    execute(request, services) {
      return makeChange(transiting(resource, declared, addressedId(request), bodyOf(request)), request, services)
    },
  })
}

/** The transition of one record, as a change that a mutation can combine with others. */
export function transiting(resource: Resource, declared: Transition, id: string, input: JsonObject): RecordChange {
  return {
    resource,
    needs(needs) {
      needs.toChange(resource, { id })
      needs.toLoad(...(declared.needs?.(input, id) ?? []))
    },
    decide(base, work, write) {
      const before = work.record(resource.kind, id)
      if (before === null) return notFound()
      if (isAnonymized(resource, before)) return refuse('resource_deleted')
      if (before.version !== input.expectedVersion) return versionConflict(before.version)
      const next = declared.to(before, input, work, writeBehind(before, write))
      if (next instanceof Refusal) return underBase(next, base)
      const step = stepTo(resource, before, next, write)
      const kind = declared.eventKind(before, next)
      return step.effect === null || kind === null ? step : { ...step, effect: { ...step.effect, kind } }
    },
  }
}
