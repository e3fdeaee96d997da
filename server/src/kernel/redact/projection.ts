import type { Caller, Scope } from '../auth/index.ts'
import { type Resource, receipt } from '../record/index.ts'
import { isObject, type Projection } from '../schema/index.ts'

/** The read scope that lifts each projection (contract section 5). */
export const projectionScopes: Readonly<Record<Projection, Scope>> = {
  contact_data: 'crm_contact_data_read',
  amounts: 'crm_amounts_read',
  custom_fields: 'crm_custom_fields_read',
  operators: 'crm_operators_read',
  tags: 'crm_tags_read',
}

/** Whether a token with these scopes may read what a projection hides. */
export function mayRead(projection: Projection, scopes: ReadonlySet<string>): boolean {
  return scopes.has(projectionScopes[projection])
}

/** Redacted data, and the names of the projections that were applied to it. */
export interface Projected {
  readonly data: unknown
  readonly redacted: readonly string[]
}

/**
 * A record as this caller may see it. Protected members are removed without their scope, and a caller who may not read gets the receipt.
 * Returns the same object if nothing is removed.
 */
export function projectRecord(resource: Resource, data: unknown, caller: Pick<Caller, 'scopes'>): Projected {
  if (!isObject(data)) return { data, redacted: [] }
  if (!caller.scopes.has(resource.scopes.read)) return { data: receipt(resource, data), redacted: [] }
  const { members, redacted } = hidden(resource, caller)
  return redacted.length === 0 ? { data, redacted } : { data: without(data, members), redacted }
}

/** A list of records as this caller, who may read the kind, may see them: without the members that need other scopes. */
export function projectRecords(resource: Resource, data: unknown, caller: Caller): Projected {
  if (!Array.isArray(data)) return { data, redacted: [] }
  const { members, redacted } = hidden(resource, caller)
  return redacted.length === 0 ? { data, redacted } : { data: data.map(record => without(record, members)), redacted }
}

/** The elements of a batch answer as this caller may see them. An element with an error has no record. */
export function projectElements(resource: Resource, data: unknown, caller: Caller): Projected {
  if (!Array.isArray(data)) return { data, redacted: [] }
  const readable = caller.scopes.has(resource.scopes.read)
  const redacted = readable ? hidden(resource, caller).redacted : []
  if (readable && redacted.length === 0) return { data, redacted }
  const projected = data.map(element =>
    isObject(element) && 'data' in element
      ? { ...element, data: projectRecord(resource, element.data, caller).data }
      : element,
  )
  return { data: projected, redacted }
}

function hidden(
  resource: Resource,
  { scopes }: Pick<Caller, 'scopes'>,
): { members: ReadonlySet<string>; redacted: readonly string[] } {
  const members = new Set<string>()
  const redacted: string[] = []
  for (const [projection, names] of resource.protectedMembers) {
    if (mayRead(projection, scopes)) continue
    redacted.push(projection)
    for (const name of names) members.add(name)
  }
  return { members, redacted }
}

function without(record: unknown, members: ReadonlySet<string>): unknown {
  if (!isObject(record)) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => !members.has(name)))
}
