import { describe, expect, it } from 'vitest'
import { type MemberRole, memberRoles } from '../kernel/auth/index.ts'
import { grantableScopes } from '../modules.ts'
import { permissionsOf, type RoleSwitches } from './roles.ts'

const initial: RoleSwitches = {
  membersSeeContactData: true,
  membersSeeAmounts: true,
  managersManageIntegrations: false,
}

const may = (role: MemberRole, switches: Partial<RoleSwitches> = {}) => permissionsOf(role, { ...initial, ...switches })
const rolesWith = (permission: Parameters<ReturnType<typeof may>['has']>[0], switches: Partial<RoleSwitches> = {}) =>
  memberRoles.filter(role => may(role, switches).has(permission))

describe('the permissions of a role', () => {
  it('are all scopes and all rights of people for an owner', () => {
    const rights = ['tokens_manage', 'webhooks_manage', 'settings_manage', 'members_manage', 'audit_all']
    const scopes = grantableScopes.map(({ scope }) => scope)
    expect([...may('owner')].toSorted()).toEqual([...scopes, ...rights].toSorted())
  })

  it('contain those of each lesser role', () => {
    for (const managersManageIntegrations of [true, false]) {
      const sets = memberRoles.map(role => may(role, { managersManageIntegrations }))
      for (const [index, lesser] of sets.slice(1).entries())
        expect([...lesser].filter(permission => sets[index]?.has(permission) !== true)).toEqual([])
    }
  })

  it.each([
    ['crm_contacts_read', ['owner', 'manager', 'member', 'read_only']],
    ['crm_contacts_write', ['owner', 'manager', 'member']],
    ['crm_contacts_delete', ['owner', 'manager']],
    ['crm_bulk_manage', ['owner', 'manager']],
    ['crm_import_manage', ['owner', 'manager']],
    ['crm_export_manage', ['owner', 'manager']],
    ['settings_manage', ['owner', 'manager']],
    ['tokens_manage', ['owner']],
    ['webhooks_manage', ['owner']],
    ['ai_integrations_manage', ['owner']],
    ['members_manage', ['owner']],
    ['audit_all', ['owner']],
  ] as const)('include %s for %j', (permission, expected) => {
    expect(rolesWith(permission)).toEqual(expected)
  })

  it('write nothing for those who only read', () => {
    expect([...may('read_only')].filter(permission => !/_read$|^crm_search$/u.test(permission))).toEqual([])
  })

  it('show contact data to members only where the organization lets them see it', () => {
    expect(rolesWith('crm_contact_data_read')).toEqual(memberRoles)
    expect(rolesWith('crm_contact_data_write')).toEqual(['owner', 'manager', 'member'])
    const hidden = { membersSeeContactData: false }
    expect(rolesWith('crm_contact_data_read', hidden)).toEqual(['owner', 'manager'])
    expect(rolesWith('crm_contact_data_write', hidden)).toEqual(['owner', 'manager'])
    expect(rolesWith('crm_amounts_read', hidden)).toEqual(memberRoles)
  })

  it('show amounts to members only where the organization lets them see them', () => {
    const hidden = { membersSeeAmounts: false }
    expect(rolesWith('crm_amounts_read', hidden)).toEqual(['owner', 'manager'])
    expect(rolesWith('crm_amounts_write', hidden)).toEqual(['owner', 'manager'])
    expect(rolesWith('crm_contact_data_read', hidden)).toEqual(memberRoles)
  })

  it('let managers administer integrations where the organization wants it', () => {
    for (const permission of ['tokens_manage', 'webhooks_manage', 'ai_integrations_manage'] as const)
      expect(rolesWith(permission, { managersManageIntegrations: true })).toEqual(['owner', 'manager'])
  })
})
