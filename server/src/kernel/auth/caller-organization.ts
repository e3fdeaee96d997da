import type { OrganizationSettings } from '../schema/index.ts'
import type { Row } from '../sql/index.ts'

/** The organization of a caller, from the columns of a row. */
export function callerOrganization(row: Row): OrganizationSettings {
  const text = (name: string) => String(row[name])
  return {
    id: text('organization_id'),
    name: text('organization_name'),
    timeZone: text('time_zone'),
    defaultCurrency: text('default_currency'),
    currencies: Array.isArray(row.currencies) ? row.currencies.map(String) : [],
    locale: text('locale'),
    country: text('country'),
    crmProvider: text('crm_provider'),
  }
}
