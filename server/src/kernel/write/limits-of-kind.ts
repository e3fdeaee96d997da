import { type Refusal, unprocessable } from '../errors/index.ts'
import { Lookup, type Resource } from '../record/index.ts'
import { claimedStatement, type Statement } from '../sql/index.ts'
import type { Needs } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/** Needs the number of records of a kind with a limit. Writes that add one wait for each other. */
export function needRoom(needs: Needs, resource: Resource): void {
  if (resource.most === null) return
  needs.toAdd(resource)
  needs.toLoad(countOf(resource))
}

/** 422 if the organization already has as many records of the kind as it may. */
export function refuseOneMore(resource: Resource, base: string, work: WorkingSet): Refusal | null {
  const { most } = resource
  if (most === null) return null
  if (work.read(countOf(resource)) < most) return null
  const message = `An organization can have ${most} at most`
  return unprocessable([{ path: base, rule: 'max_items', message }], { limit: most })
}

const counts = new Map<string, Statement>()

/** How many records of the kind the organization has. */
function countOf({ kind, table }: Resource): Lookup<number> {
  const text = `select count(*)::integer as count from ${table.name} where organization_id = $1`
  const count = counts.get(kind) ?? claimedStatement(`count_of_${kind}`, text)
  counts.set(kind, count)
  return new Lookup(count, [], ([row]) => Number(row?.count ?? 0))
}
