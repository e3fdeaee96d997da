/**
 * A right that tokens hold. The scopes that can be granted follow from the modules: see `servedScopes`. The prefixes are those of the
 * parts of the API (specification, "Authentication"; contract section 2).
 */
export type Scope = `${'crm' | 'channels' | 'ai'}_${string}`

/** A right that only people have: no token can be given it, because it has not the form of a scope. */
type PersonRight = 'tokens_manage' | 'webhooks_manage' | 'settings_manage' | 'members_manage' | 'audit_all'

/** What an operation can need of its caller. */
export type Permission = Scope | PersonRight

const form = /^(?:crm|channels|ai)_[a-z][a-z0-9_]*$/u

/** Whether a text has the form of a scope. */
export function isScope(text: string): text is Scope {
  return form.test(text)
}

/** The scopes that the specification names, in the order in which they are listed; other scopes follow them. */
export const scopes = [
  'crm_contacts_read',
  'crm_contacts_write',
  'crm_contacts_delete',
  'crm_companies_read',
  'crm_companies_write',
  'crm_companies_delete',
  'crm_deals_read',
  'crm_deals_write',
  'crm_deals_delete',
  'crm_tasks_read',
  'crm_tasks_write',
  'crm_tasks_delete',
  'crm_tags_read',
  'crm_search',
  'crm_analytics_read',
  'crm_audit_read',
  'crm_bulk_manage',
  'crm_export_manage',
  'crm_import_manage',
  'crm_files_read',
  'crm_files_write',
  'crm_contact_data_read',
  'crm_contact_data_write',
  'crm_amounts_read',
  'crm_amounts_write',
  'crm_custom_fields_read',
  'crm_custom_fields_manage',
  'crm_operators_read',
  'channels_read',
  'channels_manage',
  'ai_agents_read',
  'ai_agents_manage',
  'ai_products_read',
  'ai_products_manage',
  'ai_knowledge_read',
  'ai_knowledge_manage',
  'ai_integrations_read',
  'ai_integrations_manage',
] as const satisfies readonly Scope[]
