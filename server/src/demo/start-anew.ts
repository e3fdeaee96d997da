import { hashSecret, parseToken, scopes } from '../kernel/auth/index.ts'
import { rateDefaults } from '../kernel/limits/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'
import { demoApplicationId, demoOrganizationId } from './identity.ts'
import { tenantTables } from './tenant-tables.ts'

// Every write of records ends with an update of this row. So while the row is locked, no write can add records that the
// removal would miss.
const lockFeed = statement(
  'demo_lock_feed',
  'select f.seq from organization_feed f where f.organization_id = $1 for update',
)

// `demo` is set when the sample data is complete. The version of the configuration rises, so that no process keeps
// using the one that it remembers.
const placeOrganization = statement(
  'demo_place_organization',
  `insert into organizations as o
     (id, name, time_zone, default_currency, currencies, locale, country, sandbox, created_at)
   values ($1, 'Demo organization', 'UTC', 'USD', array['USD', 'EUR'], 'en', 'US', true, now())
   on conflict (id) do update set
     name = excluded.name, time_zone = excluded.time_zone, default_currency = excluded.default_currency,
     currencies = excluded.currencies, locale = excluded.locale, country = excluded.country,
     crm_provider = 'built_in', sandbox = true, demo = false, directory_version = o.directory_version + 1`,
)

// One number is skipped. That makes all earlier cursors expire, which tells consumers to read everything again.
const placeFeed = statement(
  'demo_place_feed',
  `insert into organization_feed as f (organization_id, seq) values ($1, 0)
   on conflict (organization_id) do update set seq = f.seq + 1`,
)

const placeApplication = statement(
  'demo_place_application',
  `insert into applications (organization_id, id, name, rate_read, rate_write, created_at)
   values ($1, $2, 'Demo application', $3, $4, now())
   on conflict (organization_id, id) do update set
     name = excluded.name, rate_read = excluded.rate_read, rate_write = excluded.rate_write, enabled = true`,
)

const placeToken = statement(
  'demo_place_token',
  `insert into api_tokens (id, organization_id, application_id, name, secret_hash, scopes, created_at)
   values ($3, $1, $2, 'Demo token', $4, $5, now())
   on conflict (id) do update set
     name = excluded.name, secret_hash = excluded.secret_hash, scopes = excluded.scopes, cidrs = '{}',
     expires_at = null, revoked_at = null, rotated_from = null
   where api_tokens.organization_id = $1 and api_tokens.application_id = $2`,
)

const finishOrganization = statement(
  'demo_finish_organization',
  'update organizations o set demo = true where o.id = $1',
)

/**
 * Empties the demo organization. Only the organization, its application and the token stay; they are made if missing.
 */
export async function startAnew(transaction: Transaction, token: string): Promise<void> {
  await clear(transaction)
  await transaction.query(placeOrganization, [demoOrganizationId])
  await transaction.query(placeFeed, [demoOrganizationId])
  await transaction.query(placeApplication, [...application, rateDefaults.read, rateDefaults.write])
  await placeDemoToken(transaction, token)
}

const application = [demoOrganizationId, demoApplicationId]

/** Makes the token valid, with every scope. */
export async function placeDemoToken(transaction: Transaction, token: string): Promise<void> {
  const parsed = parseToken(token)
  if (parsed === null) throw new Error('the demo token is no token')
  await transaction.query(placeToken, [...application, parsed.tokenId, hashSecret(parsed.secret), scopes])
}

/** Marks the organization as the demo, because its sample data is complete. */
export async function finish(transaction: Transaction): Promise<void> {
  await transaction.query(finishOrganization, [demoOrganizationId])
}

// The application keeps its row, because counters may refer to it, and the feed keeps its number.
async function clear(transaction: Transaction): Promise<void> {
  await transaction.query(lockFeed, [demoOrganizationId])
  for (const table of await tenantTables(transaction)) {
    if (table === 'organization_feed') continue
    const others = table === 'applications' ? ' and id <> $2' : ''
    const remove = statement(`demo_clear_${table}`, `delete from ${table} where organization_id = $1${others}`)
    await transaction.query(remove, others === '' ? [demoOrganizationId] : application)
  }
}
