import { statement, type Transaction } from '../kernel/sql/index.ts'
import type { DemoAdministration, PlacedSettings } from './administration.ts'
import { demoApplicationId, demoOrganizationId, demoTokenName } from './identity.ts'
import { tenantTables } from './tenant-tables.ts'

// Every write of records ends with an update of this row. So while the row is locked, no write can add records that the
// removal would miss. One number is skipped. That makes all earlier cursors expire, which tells consumers to read
// everything again.
const expireCursors = statement(
  'demo_expire_cursors',
  'update organization_feed f set seq = f.seq + 1 where f.organization_id = $1',
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
  for (const table of await tenantTables(transaction)) {
    if (kept.has(table)) continue
    const others = table === 'applications' ? ' and id <> $2' : ''
    const remove = statement(`demo_clear_${table}`, `delete from ${table} where organization_id = $1${others}`)
    await transaction.query(remove, others === '' ? [demoOrganizationId] : [demoOrganizationId, demoApplicationId])
  }
}
