import { type Statement, statement } from '../sql/index.ts'
import type { ExtraNeed, Resource } from './resource.ts'

/** A declared field through which records of one kind refer to records of another. */
export interface Referrer {
  readonly resource: Resource
  readonly field: string
  /** Under which its rows are found in the working set. */
  readonly name: string
  /** $1 organization, $2 id of the referred record: `id` of each record that refers to it. */
  readonly statement: Statement
}

const compiled = new Map<string, Referrer[]>()
const most = 10_001

/** Everything declared to refer to records of this resource. */
export function referrersOf(target: Resource, resources: readonly Resource[]): readonly Referrer[] {
  const known = compiled.get(target.kind)
  if (known !== undefined) return known
  const found = resources.flatMap(resource =>
    resource.links.flatMap(({ name: field, links }) => {
      if (links.kind !== target.kind) return []
      const name = `${resource.plural}_of_${target.kind}_by_${field.toLowerCase()}`
      const text = `select l.${links.ownerColumn} as id from ${links.table} l
        where current_setting('crm.claim') = 'held' and l.organization_id = $1 and l.${links.targetColumn} = $2
        order by l.${links.ownerColumn} limit ${most}`
      return [{ resource, field, name, statement: statement(`find_${name}`, text) }]
    }),
  )
  compiled.set(target.kind, found)
  return found
}

/** Ids of the records that refer to one; $1 of the statement is filled in by the write path. */
export function findReferrers({ name, statement }: Referrer, id: string): ExtraNeed {
  return { name, statement, values: [id] }
}
