import { hashSecret, newTokenText, type Scope, scopes } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import type { TestApi } from './api.ts'
import { Client } from './client.ts'

/** An organization with its default pipeline and one application with all rights. */
export interface TestOrganization {
  readonly id: string
  readonly applicationId: string
  readonly client: Client
  readonly stages: { readonly first: string; readonly second: string; readonly won: string; readonly lost: string }
  readonly pipelineId: string
  readonly lostReason: string
  readonly operator: string
  readonly inactiveOperator: string
  /** A tag named Regular for every kind of records. */
  readonly tag: string
  /** A channel whose AI operator is disabled. */
  readonly channel: string
  /** Another application of the same organization. */
  application(): Promise<{ id: string; client: Client }>
  /** A token with only these scopes, by default of the first application. */
  token(granted: readonly Scope[], applicationId?: string): Promise<Client>
}

const execute = (database: Database, name: string, text: string, values: readonly unknown[]) =>
  database.query(statement(name, text), values)

/** One statement for each table, in one transaction: Citus does not accept a statement that writes to several tables. */
async function insertAll(
  database: Database,
  inserts: Readonly<Record<string, readonly [text: string, values: readonly unknown[]]>>,
): Promise<void> {
  const transaction = await database.begin()
  try {
    const queued = Object.entries(inserts).map(([name, [text, values]]) =>
      transaction.query(statement(`test_organization_${name}`, text), values),
    )
    await transaction.commit(Promise.all(queued))
  } finally {
    await transaction.rollback()
  }
}

/** Inserts an organization directly by SQL, so that a test needs no command; `rates` are requests per minute. */
export async function anOrganization(api: TestApi, { rates = 1_000_000 } = {}): Promise<TestOrganization> {
  const { database } = api.test
  const id = newId()
  const pipelineId = newId()
  const [first, second, won, lost, lostReason, operator, inactiveOperator, tag, channel] = Array.from(
    { length: 9 },
    newId,
  )
  const ids = { first: first ?? '', second: second ?? '', won: won ?? '', lost: lost ?? '' }
  await insertAll(database, {
    organization: [
      `insert into organizations (id, name, time_zone, default_currency, currencies, locale, country, created_at)
       values ($1, 'Test', 'UTC', 'USD', '{USD,EUR,JPY}', 'en', 'US', now())`,
      [id],
    ],
    feed: ['insert into organization_feed (organization_id, seq) values ($1, 0)', [id]],
    pipeline: [
      `insert into pipelines (organization_id, id, name, is_default, position, created_at)
       values ($1, $2, 'Sales', true, 0, now())`,
      [id, pipelineId],
    ],
    stages: [
      `insert into stages (organization_id, id, pipeline_id, name, type, position)
       values ($1, $3, $2, 'New', 'open', 0), ($1, $4, $2, 'Talks', 'open', 1), ($1, $5, $2, 'Won', 'won', 2),
              ($1, $6, $2, 'Lost', 'lost', 3)`,
      [id, pipelineId, first, second, won, lost],
    ],
    lost_reason: [
      "insert into lost_reason_categories (organization_id, id, name, position) values ($1, $2, 'Price', 0)",
      [id, lostReason],
    ],
    tag: [
      `insert into tags (organization_id, id, name, kinds, created_at)
       values ($1, $2, 'Regular', '{contact,company,deal,task}', '2026-01-01T00:00:00Z')`,
      [id, tag],
    ],
    channel: [
      `insert into channels (organization_id, id, version, created_at, updated_at, type, name, status, identifier)
       values ($1, $2, 1, now(), now(), 'telegram', 'Shop', 'active', '@shop-of-olga')`,
      [id, channel],
    ],
    ai_operator: [
      `insert into ai_operators (organization_id, id, version, created_at, updated_at) values ($1, $2, 1, now(), now())`,
      [id, channel],
    ],
    operators: [
      `insert into operators (organization_id, id, name, email, active, created_at)
       values ($1, $2, 'Olga', 'olga@example.com', true, now()), ($1, $3, 'Ivan', 'ivan@example.com', false, now())`,
      [id, operator, inactiveOperator],
    ],
  })
  const token = (applicationId: string, granted: readonly Scope[]) => createClient(api, id, applicationId, granted)
  const application = async () => {
    const applicationId = await createApplication(database, id, rates)
    return { id: applicationId, client: await token(applicationId, scopes) }
  }
  const own = await application()
  return {
    id,
    applicationId: own.id,
    client: own.client,
    stages: ids,
    pipelineId,
    lostReason: lostReason ?? '',
    operator: operator ?? '',
    inactiveOperator: inactiveOperator ?? '',
    tag: tag ?? '',
    channel: channel ?? '',
    application,
    token: (granted, applicationId = own.id) => token(applicationId, granted),
  }
}

async function createApplication(database: Database, organizationId: string, rate: number): Promise<string> {
  const id = newId()
  const text = `insert into applications (organization_id, id, name, rate_read, rate_write, created_at)
    values ($1, $2, 'Integration', $3, $3, now())`
  await execute(database, 'test_application', text, [organizationId, id, rate])
  return id
}

async function createClient(
  api: TestApi,
  organizationId: string,
  applicationId: string,
  granted: readonly Scope[],
): Promise<Client> {
  const token = newTokenText('live')
  const text = `insert into api_tokens (id, organization_id, application_id, name, secret_hash, scopes, created_at)
    values ($1, $2, $3, 'Test', $4, $5, now())`
  const values = [token.tokenId, organizationId, applicationId, hashSecret(token.secret), granted]
  await execute(api.test.database, 'test_token', text, values)
  return new Client(api.url, token.text)
}
