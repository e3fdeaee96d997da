import type { EntityType } from './fields/entity-types.ts'

export const strategies = ['create_only', 'update_only', 'create_or_update', 'skip_existing'] as const
export const matchKeys = ['uuid', 'externalId', 'email', 'phone', 'taxId', 'name'] as const
export const conflictRules = ['overwrite', 'fill_empty'] as const

export type Strategy = (typeof strategies)[number]
/** The keys by which a row can find its record. */
export type MatchKey = (typeof matchKeys)[number]

/** What an import does with rows whose records exist (contract section 10.3, "Import"). */
export interface DedupPolicy {
  readonly strategy: Strategy
  /** The keys in order: the first one that finds a record decides. */
  readonly matchBy: readonly MatchKey[]
  readonly onConflict: (typeof conflictRules)[number]
}

/** The keys by which rows find records if the policy does not say. */
export const usualMatchKeys: readonly MatchKey[] = ['uuid', 'externalId']

/** The keys by which rows of this type can find records. */
export function matchKeysOf(type: EntityType): readonly MatchKey[] {
  if (type === 'companies') return matchKeys
  return type === 'contacts' ? matchKeys.filter(key => key !== 'taxId') : usualMatchKeys
}
