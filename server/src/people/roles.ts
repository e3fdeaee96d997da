import { type MemberRole, memberRoles } from '../kernel/auth/index.ts'
import type { Permission } from '../kernel/index.ts'

/** What an organization has decided about the roles of its members. */
export interface RoleSwitches {
  /** Whether members and those who only read see e-mail addresses and phone numbers of contacts. */
  readonly membersSeeContactData: boolean
  /** The same for amounts of deals. */
  readonly membersSeeAmounts: boolean
  /** Whether managers administer applications, tokens, webhooks and API integrations. */
  readonly managersManageIntegrations: boolean
}

const everyone: readonly Permission[] = [
  'crm_contacts_read',
  'crm_companies_read',
  'crm_deals_read',
  'crm_tasks_read',
  'crm_tags_read',
  'crm_search',
  'crm_analytics_read',
  'crm_audit_read',
  'crm_files_read',
  'crm_custom_fields_read',
  'crm_operators_read',
  'channels_read',
  'ai_agents_read',
  'ai_products_read',
  'ai_knowledge_read',
]

// Values of custom fields, and not their definitions: those are settings.
const writers: readonly Permission[] = [
  'crm_contacts_write',
  'crm_companies_write',
  'crm_deals_write',
  'crm_tasks_write',
  'crm_files_write',
  'crm_custom_fields_manage',
]

const managers: readonly Permission[] = [
  'crm_contacts_delete',
  'crm_companies_delete',
  'crm_deals_delete',
  'crm_tasks_delete',
  'crm_bulk_manage',
  'crm_export_manage',
  'crm_import_manage',
  'channels_manage',
  'ai_agents_manage',
  'ai_products_manage',
  'ai_knowledge_manage',
  'ai_integrations_read',
  'settings_manage',
]

const integrations: readonly Permission[] = ['ai_integrations_manage', 'tokens_manage', 'webhooks_manage']

const owners: readonly Permission[] = ['members_manage', 'audit_all']

/** What a member with this role may do. */
export function permissionsOf(role: MemberRole, switches: RoleSwitches): ReadonlySet<Permission> {
  const { membersSeeContactData, membersSeeAmounts, managersManageIntegrations } = switches
  const isOwner = role === 'owner'
  const isManager = isOwner || role === 'manager'
  const isWriter = role !== 'read_only'
  return new Set([
    ...everyone,
    ...(isWriter ? writers : []),
    ...(isManager ? managers : []),
    ...protectedValues('crm_contact_data', isManager || membersSeeContactData, isWriter),
    ...protectedValues('crm_amounts', isManager || membersSeeAmounts, isWriter),
    ...(isOwner || (isManager && managersManageIntegrations) ? integrations : []),
    ...(isOwner ? owners : []),
  ])
}

function protectedValues(
  what: 'crm_contact_data' | 'crm_amounts',
  isShown: boolean,
  isWriter: boolean,
): readonly Permission[] {
  if (!isShown) return []
  return isWriter ? [`${what}_read`, `${what}_write`] : [`${what}_read`]
}

/** A stored role; one that this version does not know permits nothing but reading. */
export function roleOf(stored: unknown): MemberRole {
  return memberRoles.find(role => role === stored) ?? 'read_only'
}
