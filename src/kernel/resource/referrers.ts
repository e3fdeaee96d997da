import { type Statement, statement } from '../sql/index.ts'
import { idsOf } from './record.ts'
import type { ExtraNeed, RecordState, Resource } from './resource.ts'

/** A declared field through which records of one kind refer to records of another. */
export interface Referrer {
  readonly resource: Resource
  readonly field: string
  /** Under which its rows are found in the working set. */
  readonly name: string
  /** $1 organization, $2 id of the referred record: `id` of each record that refers to it. */
  readonly statement: Statement
  /** The record with the reference taken away, or led to another record. */
  replace(record: RecordState, id: string, other: string | null): RecordState
}

const compiled = new Map<string, Referrer[]>()
const most = 10_001

/** Everything declared to refer to records of this resource. */
export function referrersOf(target: Resource, resources: readonly Resource[]): readonly Referrer[] {
  const known = compiled.get(target.kind)
  if (known !== undefined) return known
  const found = resources.flatMap(resource =>
    resource.references
      .filter(({ kind }) => kind === target.kind)
      .map(({ name: field, table, ownerColumn, targetColumn }) => {
        const name = `${resource.plural}_of_${target.kind}_by_${field.toLowerCase()}`
        const text = `select l.${ownerColumn} as id from ${table} l
        where current_setting('crm.claim') = 'held' and l.organization_id = $1 and l.${targetColumn} = $2
        order by l.${ownerColumn} limit ${most}`
        return { resource, field, name, statement: statement(`find_${name}`, text), replace: replacer(field) }
      }),
  )
  compiled.set(target.kind, found)
  return found
}

/** Ids of the records that refer to one; $1 of the statement is filled in by the write path. */
export function findReferrers({ name, statement }: Referrer, id: string): ExtraNeed {
  return { name, statement, values: [id] }
}

/** In a list the other takes the earlier of the two places. */
function replacer(field: string): Referrer['replace'] {
  return (record, id, other) => {
    const value = record[field]
    if (!Array.isArray(value)) return { ...record, [field]: value === id ? other : value }
    const next = idsOf(value).flatMap(target => (target === id ? (other ?? []) : target))
    return { ...record, [field]: [...new Set(next)] }
  }
}
