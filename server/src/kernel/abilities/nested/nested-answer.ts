import type { Scope } from '../../auth/index.ts'
import type { Answer, Decision } from '../../mutation/index.ts'
import { embeddedKind, type Nested, type RecordState, represent, topOf, type WriteContext } from '../../record/index.ts'
import type { JsonObject, JsonSchema, PresentContext } from '../../schema/index.ts'
import type { Effect, WorkingSet } from '../../write/working-set.ts'
import { readScopes, recordSchema, writeScopes } from '../ability.ts'

/** The scopes for reading nested records of this kind: those of the record at the top, and those that the kind adds. */
export function nestedReadScopes(nested: Nested): Scope[] {
  return [...readScopes(nested), ...nested.moreScopes.read]
}

/** The scopes for changing nested records of this kind: those of the record at the top, and those that the kind adds. */
export function nestedWriteScopes(nested: Nested): Scope[] {
  return [...writeScopes(nested), ...nested.moreScopes.write]
}

/** JSON Schema of `meta` of nested writes. */
export function topVersionSchema(nested: Nested): JsonObject {
  const { kind, title } = topOf(nested)
  const member = `${kind}Version`
  return {
    title: `${title}VersionMeta`,
    type: 'object',
    required: [member],
    properties: { [member]: { type: 'integer', minimum: 1, description: `The version of the ${kind} now.` } },
  }
}

/** The version of the record at the top, as `expectedVersion` for the client's next change there. */
export function topVersion(nested: Nested, top: RecordState): JsonObject {
  return { [`${topOf(nested).kind}Version`]: top.version }
}

/** JSON Schema of one nested record in answers. A link is never a receipt, because the scopes of its routes grant all of it. */
export function nestedSchema(nested: Nested): JsonSchema {
  return nested.parent.uniqueReference === undefined ? recordSchema(nested) : nested.output
}

/** The nested record in the form of answers, with its embedded records in order. A link also says whether it is the first. */
export function representNested(
  nested: Nested,
  record: RecordState,
  embedded: readonly RecordState[],
  context: PresentContext,
): JsonObject {
  const answer = represent(nested, record, context)
  if (nested.parent.uniqueReference !== undefined) answer.isPrimary = record.position === 0
  const kind = embeddedKind(nested)
  return kind === undefined
    ? answer
    : { ...answer, [kind.plural]: embedded.map(each => represent(kind, each, context)) }
}

/** A nested record after a write, its embedded records, and the record at the top. */
export interface WrittenPart {
  readonly record: RecordState
  readonly embedded: readonly RecordState[]
  readonly top: RecordState
}

/** The decision of a nested write: applies the effect. */
export function nestedDecision(
  nested: Nested,
  record: RecordState,
  effect: Effect | null,
  top: RecordState,
  work: WorkingSet,
): Decision<WrittenPart> {
  if (effect !== null) work.apply(effect)
  return { result: { record, embedded: embeddedIn(work, nested, record), top: effect?.after ?? top } }
}

/** The answer of a nested write: the record, and the version of the record at the top. */
export const answerPart =
  (nested: Nested, status = 200) =>
  ({ record, embedded, top }: WrittenPart, write: WriteContext): Answer => ({
    status,
    data: representNested(nested, record, embedded, write),
    meta: topVersion(nested, top),
    shown: [{ resource: nested, record }],
  })

function embeddedIn(work: WorkingSet, nested: Nested, record: RecordState): RecordState[] {
  const kind = embeddedKind(nested)
  return kind === undefined ? [] : work.nestedIn(kind, record.id).sort(byPosition)
}

/** Compares the positions of two records of one parent, which never share a position. */
export function byPosition(one: RecordState, other: RecordState): number {
  return Number(one.position) - Number(other.position)
}
