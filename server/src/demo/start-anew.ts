import { identifier, statement, type Transaction, tenantTables } from '../kernel/sql/index.ts'
import { type Administration, placeOrganization, type StartingSettings } from '../settings/index.ts'
import { demoApplicationId, demoOrganizationId, demoTokenName } from './identity.ts'

// Every write of records ends with an update of this row. So while the row is locked, no write can add records that the removal would miss,
// and waiting writes are retried because the settings have changed. One number of the feed is skipped, which makes all earlier cursors
// expire, so that consumers read everything again. The files of the organization are removed too.
const expireCursors = statement(
  'demo_expire_cursors',
  `update organization_feed f set seq = f.seq + 1, oldest_configuration = o.directory_version + 1, file_bytes = 0
     from organizations o where f.organization_id = $1 and o.organization_id = $1`,
)

/** Removes everything from the demo organization except itself and its application, and restores the initial settings. */
export async function startAnew(administration: Administration, token: string): Promise<StartingSettings> {
  const organization = {
    organizationId: demoOrganizationId,
    name: 'Demo organization',
    currencies: ['USD', 'EUR'],
    applicationId: demoApplicationId,
    applicationName: 'Demo application',
    token,
    tokenName: demoTokenName,
  }
  return placeOrganization(administration, organization, clear)
}

const kept = new Set(['organizations', 'organization_feed'])

// The row of the application is kept, because counters may reference it; the feed keeps its number.
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
