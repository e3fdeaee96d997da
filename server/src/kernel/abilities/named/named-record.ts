import { notFound, type Refusal } from '../../errors/index.ts'
import type { Answer } from '../../mutation/index.ts'
import type { OperationDeclaration, Request } from '../../operation.ts'
import { type Nested, type RecordState, represent, valueScopesOf, type WriteContext } from '../../record/index.ts'
import { projectRecord } from '../../redact/index.ts'
import { namedId } from '../../schema/index.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { recordSchema, writeScopes } from '../ability.ts'

/** The address of a record whose id its client chose: its parent and its id (contract section 13). */
export interface NamedPlace {
  readonly parentId: string
  /** The id that the client chose. */
  readonly name: string
  /** The id under which it is stored. */
  readonly id: string
}

/** The path of one record: `/api/v1/ai-agents/external/products-sets/{setId}/products/{productId}`. */
export function pathOfNamed(nested: Nested): Pick<OperationDeclaration, 'path' | 'chosenIds'> {
  const { idParameter } = nested
  return { path: `${nested.path}/{${idParameter}}`, chosenIds: [idParameter] }
}

/** The address in the path of a request, or that of `name` in the parent from the path. */
export function placeOf(
  { parent, idParameter }: Nested,
  { path }: Request,
  name = path[idParameter] ?? '',
): NamedPlace {
  const parentId = path[parent.parameter] ?? ''
  return { parentId, name, id: namedId(parentId, name) }
}

/** What the writes of such records have in common. */
export function namedWriting(nested: Nested) {
  return {
    conventions: nested.conventions,
    scopes: writeScopes(nested),
    answer: { data: recordSchema(nested) },
    valueScopes: (body: unknown) => valueScopesOf(nested.fields, body),
    project: projectRecord.bind(null, nested),
  } satisfies Partial<OperationDeclaration>
}

/** Needs the record and, locked, its parent, whose lock protects all records in it. */
export function needNamed(needs: Needs, nested: Nested, { parentId, id }: NamedPlace): void {
  needs.toChange(nested.parent.resource, { id: parentId })
  needs.toLoadNested(nested, id)
}

/** The parent and the record, null if the record does not exist; 404 if the parent does not exist. */
export function namedRecord(
  nested: Nested,
  { parentId, id }: NamedPlace,
  work: WorkingSet,
): { parent: RecordState; record: RecordState | null } | Refusal {
  const parent = work.record(nested.parent.resource.kind, parentId)
  return parent === null ? notFound() : { parent, record: work.record(nested.kind, id) }
}

/** Applies a change of the record, which has an audit entry of its own, and updates the count in its parent. */
export function applyNamed(
  nested: Nested,
  parent: RecordState,
  before: RecordState | null,
  after: RecordState | null,
  work: WorkingSet,
  write: WriteContext,
): void {
  const { resource } = nested.parent
  const counted = { ...parent, ...countsWith(nested, parent, before, after) }
  const next = resource.rules.reflect?.(counted, [{ resource: nested, before, after }], write) ?? counted
  work.take({ resource, before: parent, after: next })
  work.apply({ resource: nested, before, after })
}

/** The count in the parent after a record was added or removed. */
function countsWith(
  { countedIn }: Nested,
  parent: RecordState,
  before: RecordState | null,
  after: RecordState | null,
): Readonly<Record<string, unknown>> {
  if (countedIn === undefined || (before !== null && after !== null)) return {}
  return { [countedIn]: Number(parent[countedIn]) + (after === null ? -1 : 1) }
}

/** The answer with the record. */
export const answerNamed =
  (nested: Nested, status = 200) =>
  (record: RecordState, write: WriteContext): Answer => ({
    status,
    data: represent(nested, record, write),
    shown: [{ resource: nested, record }],
  })
