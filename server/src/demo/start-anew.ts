import { identifier, statement, type Transaction, tenantTables } from '../kernel/sql/index.ts'
import type { DemoAdministration, PlacedSettings } from './administration.ts'
import { demoApplicationId, demoOrganizationId, demoTokenName } from './identity.ts'

// Every write of records ends with an update of this row. So while the row is locked, no write can add records that the
// removal would miss, and those that wait begin anew because they know the settings of before. One number is skipped. That
// makes all earlier cursors expire, which tells consumers to read everything again. Its files go, too.
const expireCursors = statement(
  'demo_expire_cursors',
  `update organization_feed f set seq = f.seq + 1, oldest_configuration = o.directory_version + 1, file_bytes = 0
     from organizations o where f.organization_id = $1 and o.organization_id = $1`,
)

/** Leaves of the demo organization only itself and its application, with the settings that every organization starts with. */
export async function startAnew(administration: DemoAdministration, token: string): Promise<PlacedSettings> {
  const organization = {
    organizationId: demoOrganizationId,
    name: 'Demo organization',
    currencies: ['USD', 'EUR'],
    applicationId: demoApplicationId,
    applicationName: 'Demo application',
    token,
    tokenName: demoTokenName,
  }
  return administration.placeOrganization(organization, clear)
}

const kept = new Set(['organizations', 'organization_feed'])

// The application keeps its row, because counters may refer to it, and the feed keeps its number.
async function clear(transaction: Transaction): Promise<void> {
  await transaction.query(expireCursors, [demoOrganizationId])
  for (const { name } of await tenantTables(transaction)) {
    if (kept.has(name)) continue
    const others = name === 'applications' ? ' and id <> $2' : ''
    const text = `delete from ${identifier(name)} where organization_id = $1${others}`
    const remove = statement(`demo_clear_${name}`, text)
    await transaction.query(remove, others === '' ? [demoOrganizationId] : [demoOrganizationId, demoApplicationId])
  }
}
