import { notFound, type Refusal, refuse } from '../../errors/index.ts'
import { isAnonymized, type Nested, type RecordState, type Resource } from '../../record/index.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'

type Path = Readonly<Record<string, string>>

/** The kinds above a nested record, from the top down, each with the path parameter of its id. */
export function ancestry(nested: Resource): { readonly resource: Resource; readonly parameter: string }[] {
  if (nested.parent === null) return []
  const { resource, parameter } = nested.parent
  return [...ancestry(resource), { resource, parameter }]
}

/** The kind at the top, and the path parameter of its id. */
export function topAddress(nested: Resource): { readonly resource: Resource; readonly parameter: string } {
  const [top] = ancestry(nested)
  if (top === undefined) throw new Error(`${nested.kind} has no parent`)
  return top
}

/** Needs every record above. The record at the top is locked, and its lock protects everything that belongs to it. */
export function needAncestors(needs: Needs, nested: Nested, path: Path): void {
  for (const { resource, parameter } of ancestry(nested)) {
    const id = path[parameter] ?? ''
    if (resource.parent === null) needs.toChange(resource, { id })
    else needs.toLoadNested(resource, id)
  }
}

/** The records above a nested one. */
export interface Ancestors {
  readonly top: RecordState
  readonly parent: RecordState
  /** From the top down to the parent; a single record if the parent is at the top. */
  readonly records: readonly RecordState[]
}

/** The records above; 404 if one does not exist or does not belong to the one before it, 410 if it was anonymized. */
export function ancestorsIn(work: WorkingSet, nested: Nested, path: Path): Ancestors | Refusal {
  const records: RecordState[] = []
  for (const { resource, parameter } of ancestry(nested)) {
    const record = work.record(resource.kind, path[parameter] ?? '')
    const belongs = resource.parent === null || record?.[resource.parent.member] === records.at(-1)?.id
    if (record === null || !belongs) return notFound()
    if (isAnonymized(resource, record)) return refuse('resource_deleted')
    records.push(record)
  }
  const [top] = records
  if (top === undefined) throw new Error(`${nested.kind} has no parent`)
  return { top, parent: records.at(-1) ?? top, records }
}

/** The nested record of a path, or 404. */
export function nestedIn(work: WorkingSet, nested: Nested, id: string, parent: RecordState): RecordState | Refusal {
  const record = work.record(nested.kind, id)
  return record !== null && record[nested.parent.member] === parent.id ? record : notFound()
}
