import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSettings, Secret } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { migrate } from '../../server/src/kernel/sql/index.ts'
import { settingKinds } from '../../server/src/modules.ts'
import { membership } from '../../server/src/people/index.ts'
import {
  createPipeline,
  revokeToken,
  setApplication,
  setOrganization,
  webhook,
} from '../../server/src/settings/index.ts'
import { createEmptyDatabase, type EmptyDatabase, migrateUpTo } from './empty-database.ts'

let empty: EmptyDatabase
beforeEach(async () => {
  empty = await createEmptyDatabase()
})
afterEach(() => empty.drop())

/** As the release before makes an organization and one setting of each kind: it knows nothing of their versions. */
function asBefore(organization: string, application: string, token: string): string {
  const pipeline = newId()
  return `
    insert into organizations (id, name, time_zone, default_currency, currencies, locale, country, created_at)
    values ('${organization}', 'Acme', 'UTC', 'USD', '{USD}', 'en', 'US', '2026-01-01Z');
    insert into organization_feed (organization_id, seq) values ('${organization}', 0);
    insert into applications (organization_id, id, name, rate_read, rate_write, created_at)
    values ('${organization}', '${application}', 'ERP', 1, 1, now());
    insert into api_tokens (id, organization_id, application_id, name, secret_hash, scopes, created_at)
    values ('${token}', '${organization}', '${application}', 'Sync', '\\x00', '{}', now());
    insert into operators (organization_id, id, name, email, created_at)
    values ('${organization}', '${newId()}', 'Ann', 'ann@acme.example', now());
    insert into pipelines (organization_id, id, name, is_default, position, created_at)
    values ('${organization}', '${newId()}', 'Former', true, 0, now());
    update pipelines set is_default = false where organization_id = '${organization}' and is_default;
    insert into pipelines (organization_id, id, name, is_default, position, created_at)
    values ('${organization}', '${pipeline}', 'Sales', true, 1, now());
    insert into stages (organization_id, id, pipeline_id, name, type, position)
    values ('${organization}', '${newId()}', '${pipeline}', 'New', 'open', 0);
    insert into lost_reason_categories (organization_id, id, name, position)
    values ('${organization}', '${newId()}', 'Late', 0);
    insert into tags (organization_id, id, name, kinds, created_at)
    values ('${organization}', '${newId()}', 'VIP', '{deal}', now());
    insert into custom_field_definitions (organization_id, kind, key, label, type, position, created_at)
    values ('${organization}', 'deal', 'region', 'Region', 'text', 0, now());`
}

test('settings of the release before become records, also those that it creates while it still runs', async () => {
  await migrateUpTo(empty, '0009')
  const [before, beside] = [newId(), newId()]
  const [application, other] = [newId(), newId()]
  await empty.database.script(asBefore(before, application, 'tokenBefore1'))
  await migrate(empty.database)
  await empty.database.script(asBefore(beside, other, 'tokenBeside1'))
  for (const organizationId of [before, beside]) {
    // That release had neither webhooks nor members.
    for (const kind of settingKinds.filter(each => each !== webhook && each !== membership)) {
      const records = await readSettings(kind, organizationId, empty.database)
      expect(records.length).toBeGreaterThan(0)
      for (const record of records) expect(record.version).toBe(1)
    }
  }
  const administration = { database: empty.database, secret: new Secret('a secret of the tests, long enough') }
  await revokeToken(administration, { organizationId: before, tokenId: 'tokenBefore1' })
  await setApplication(administration, { organizationId: before, id: application, enabled: false })
  const stages = ['open', 'won', 'lost'].map(type => ({ name: type, type }))
  await createPipeline(administration, { organizationId: before, name: 'New', stages, isDefault: true })
  await setOrganization(administration, { organizationId: before, timeZone: 'Asia/Tokyo' })
  const [organization] = settingKinds
  if (organization === undefined) throw new Error('there are no settings')
  expect(await readSettings(organization, before, empty.database)).toMatchObject([
    { version: 5, timeZone: 'Asia/Tokyo', createdAt: '2026-01-01T00:00:00.000Z' },
  ])
})
