import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

// Rows of these belong to no organization, or are looked for before it is known. The list grows only with a reason.
const globalTables = [
  'account_events',
  'api_tokens',
  'installation',
  'job_workers',
  'mail_counts',
  'metrics_tokens',
  'organizations',
  'recovery_codes',
  'schema_migrations',
  'sessions',
  'sign_in_failures',
  'user_links',
  'users',
  'webhook_leases',
]

/** What breaks the rule that organization_id leads, so that tenants stay apart and tables can be distributed by it. */
const selectBreaches = statement(
  'test_tenant_breaches',
  `with tenant as (
     select r.oid, r.relname::text as name,
            (select a.attnum from pg_attribute a
              where a.attrelid = r.oid and a.attname = 'organization_id' and a.attnotnull) as organization
       from pg_class r
      where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and r.relname <> all ($1::text[])
   )
   select name, 'has no organization_id that is never null' as breach from tenant where organization is null
   union all
   select name, 'has no primary key' from tenant
    where not exists (select from pg_index i where i.indrelid = tenant.oid and i.indisprimary)
   union all
   select tenant.name, format('unique index %s does not begin with organization_id', i.indexrelid::regclass)
     from tenant join pg_index i on i.indrelid = tenant.oid and i.indisunique
    where i.indkey[0] is distinct from tenant.organization
   union all
   select tenant.name, format('foreign key %s does not begin with organization_id', k.conname)
     from tenant join pg_constraint k on k.conrelid = tenant.oid and k.contype = 'f'
     left join tenant referred on referred.oid = k.confrelid
    where k.conkey[1] is distinct from tenant.organization
       or (k.confkey[1] is distinct from referred.organization and k.confrelid <> 'organizations'::regclass)
   union all
   select tenant.name, format('trigger %s', t.tgname)
     from tenant join pg_trigger t on t.tgrelid = tenant.oid and t.tgconstraint = 0
   union all
   select c.relname, 'is a sequence' from pg_class c
    where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace
   order by 1, 2`,
)

let tested: TestDatabase
beforeAll(async () => {
  tested = await createTestDatabase(2)
})
afterAll(() => tested.drop())

async function breaches(database: Database): Promise<string[]> {
  const rows = await database.search(selectBreaches, [globalTables])
  return rows.map(({ name, breach }) => `${name}: ${breach}`)
}

describe('tenant tables', () => {
  test('organization_id leads every key, and nothing runs or counts by itself', async () => {
    expect(await breaches(tested.database)).toEqual([])
  })

  test('the global tables are those that are listed', async () => {
    const names = statement(
      'test_global_tables',
      `select array_agg(r.relname::text order by r.relname) as names from pg_class r
        where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and r.relname = any ($1::text[])`,
    )
    expect(await tested.database.search(names, [globalTables])).toEqual([{ names: globalTables }])
  })

  test('each breach of the rule is seen', async () => {
    await tested.database.script(`
      create table astray (id serial unique, organization_id uuid);
      create table led_wrongly (organization_id uuid not null, id uuid not null, operator uuid,
        primary key (id, organization_id),
        foreign key (operator, organization_id) references operators (organization_id, id));
      create function nothing() returns trigger language plpgsql as 'begin return null; end';
      create trigger acts after insert on led_wrongly execute function nothing()`)
    expect(await breaches(tested.database)).toEqual([
      'astray: has no organization_id that is never null',
      'astray: has no primary key',
      'astray: unique index astray_id_key does not begin with organization_id',
      'astray_id_seq: is a sequence',
      'led_wrongly: foreign key led_wrongly_operator_organization_id_fkey does not begin with organization_id',
      'led_wrongly: trigger acts',
      'led_wrongly: unique index led_wrongly_pkey does not begin with organization_id',
    ])
  })
})
