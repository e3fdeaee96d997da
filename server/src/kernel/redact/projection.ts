import type { Scope } from '../auth/index.ts'
import type { Projection } from '../schema/index.ts'

/** The scope that each projection is applied without (contract section 5). */
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
