import type { Condition } from '../kernel/columns/index.ts'
import { type Resource, type Services, scopesOfFilter } from '../kernel/index.ts'
import { isObject } from '../kernel/schema/index.ts'

/** The records that a webhook with filters asks for: they are of one kind, and meet all conditions. */
export interface AskedRecords {
  readonly resource: Resource
  readonly conditions: readonly Condition[]
  /** What a token needs to use these filters, beside the scope of the kind. */
  readonly scopes: readonly string[]
}

/** Reads the stored filters of a webhook for events of these kinds: null if there are none, undefined if this version does not have them. */
export function askedRecords(
  filter: unknown,
  kinds: readonly string[],
  { resources }: Pick<Services, 'resources'>,
): AskedRecords | null | undefined {
  const entries = isObject(filter) ? Object.entries(filter) : []
  if (entries.length === 0) return null
  const [type, ...others] = new Set(kinds.map(kind => kind.split('.')[0]))
  const resource = resources.find(({ kind }) => kind === type)
  if (resource === undefined || others.length > 0) return undefined
  const conditions: Condition[] = []
  for (const [name, texts] of entries) {
    const declared = resource.filters.get(name)
    const values = [texts].flat().map(text => declared?.parse(String(text)))
    if (declared === undefined || values.includes(undefined)) return undefined
    conditions.push({ filter: declared, values })
  }
  return { resource, conditions, scopes: entries.flatMap(([name]) => scopesOfFilter(resource, name)) }
}
