import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribute, knownMigrations, migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { type ClusterDatabase, createClusterDatabase } from './cluster-database.ts'
import { type LaterRelease, laterRelease } from './later-release.ts'

const table = `
-- Marks of contacts; every contact has one.
create table contact_marks (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  contact_id uuid not null,
  mark text not null,
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
alter table contact_marks add primary key (organization_id, id);
insert into contact_marks (organization_id, id, contact_id, mark)
select c.organization_id, c.id, c.id, 'one; and no other' from contacts c;
create index contact_marks_of_contact on contact_marks (organization_id, contact_id);`

const others = `
create table known_currencies (code text collate "C" primary key);
insert into known_currencies (code) values ('EUR'), ('USD');

create function louder(word text) returns text language plpgsql immutable as $$
begin
  return upper(word);
end $$;

alter table contacts
  add column nickname text collate "C" not null default 'none',
  add column nicknamed_at timestamptz(3);
alter table contacts add constraint contacts_nickname_length check (char_length(nickname) <= 100);
update contacts c set nickname = 'first' where c.nickname = 'none';
create index contacts_nickname on contacts (organization_id, nickname);`

const inSteps = `-- In steps.
create index concurrently if not exists contact_marks_by_mark on contact_marks (organization_id, mark);
-- step
create table contact_shades (organization_id uuid not null, id uuid not null);
alter table contact_shades add primary key (organization_id, id);
insert into contact_shades (organization_id, id) select m.organization_id, m.id from contact_marks m;
-- step
alter table contact_marks alter column mark set default 'none';`

const migrations = {
  '9997_contact_marks.sql': table,
  '9998_nicknames.sql': others,
  '9999_contact_shades.sql': inSteps,
}

/** The last one before there were clusters. */
const first = '0025_feed_epoch.sql'

let cluster: ClusterDatabase
let api: TestApi
let organizations: TestOrganization[]
beforeAll(async () => {
  cluster = await createClusterDatabase('distributed')
  api = await startApi({ test: { ...cluster, drop: async () => {} } })
  organizations = [await anOrganization(api), await anOrganization(api), await anOrganization(api)]
  for (const { client } of organizations) {
    for (let count = 0; count < 3; count += 1) {
      const { status, error } = await client.post('/contacts', aContact())
      expect({ status, error }).toEqual({ status: 201, error: {} })
    }
  }
})
afterAll(async () => {
  await api?.close()
  await cluster?.drop()
})

/** The rows of a statement on the coordinator. */
const sql = (name: string, text: string) => cluster.database.search(statement(`test_later_${name}`, text), [])

const placesOf = async (...names: readonly string[]) => {
  const rows = await sql(
    'places',
    `select t.table_name::text as name, t.citus_table_type as type, t.distribution_column as column,
            t.colocation_id = (select o.colocation_id from citus_tables o where o.table_name = 'organizations'::regclass) as beside
       from citus_tables t order by 1`,
  )
  return rows.filter(({ name }) => names.includes(String(name)))
}

/** The different answers of all shards of a table to a statement, in which %s stands for the name of the shard. */
async function onShards(name: string, relation: string, text: string): Promise<unknown[]> {
  const rows = await sql(name, `select r.success, r.result from run_command_on_shards('${relation}', $$${text}$$) as r`)
  expect(rows.filter(({ success }) => success !== true)).toEqual([])
  return [...new Set(rows.map(({ result }) => result))]
}

const marked = ['contact_marks', 'contact_shades', 'known_currencies']

describe('a later release, whose migrations meet distributed tables', () => {
  let release: LaterRelease
  afterAll(() => release?.remove())

  test('leaves nothing behind where one of them fails', async () => {
    const failing = await laterRelease({ '9997_contact_marks.sql': `${table}\nselect 1 / 0;` })
    await expect(failing.migrate(cluster.url)).rejects.toThrow('division by zero')
    await failing.remove()
    expect(await placesOf(...marked)).toEqual([])
    expect(await sql('left', `select to_regclass('contact_marks') as table`)).toEqual([{ table: null }])
  })

  test('applies each of them once', async () => {
    release = await laterRelease(migrations)
    expect(await release.migrate(cluster.url)).toEqual(Object.keys(migrations))
    expect(await release.migrate(cluster.url)).toEqual([])
  })

  test('puts the rows of a new table where those of their organization are, and rows without an organization on each node', async () => {
    const owned = { type: 'distributed', column: 'organization_id', beside: true }
    expect(await placesOf(...marked)).toEqual([
      { name: 'contact_marks', ...owned },
      { name: 'contact_shades', ...owned },
      { name: 'known_currencies', type: 'reference', column: '<none>', beside: false },
    ])
    const counts = `select (select count(*)::integer from contact_marks m join contacts c on c.organization_id = m.organization_id
                              and c.id = m.contact_id where m.mark = 'one; and no other') as marks,
                           (select count(*)::integer from contact_shades) as shades`
    expect(await sql('counts', counts)).toEqual([{ marks: 9, shades: 9 }])
    expect(await onShards('currencies', 'known_currencies', 'select count(*) from %s')).toEqual(['2'])
    expect(await distribute(cluster.database)).toEqual([])
  })

  test('has new columns, indexes, constraints and defaults on every shard', async () => {
    expect(await sql('nicknames', 'select distinct nickname from contacts')).toEqual([{ nickname: 'first' }])
    const indexes = `select string_agg(a.attname, ',') filter (where i.indisvalid) from pg_index i
                       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[1]
                      where i.indrelid = '%s'::regclass and a.attname in ('nickname', 'mark')`
    expect(await onShards('index_of_contacts', 'contacts', indexes)).toEqual(['nickname'])
    expect(await onShards('index_of_marks', 'contact_marks', indexes)).toEqual(['mark'])
    const checks = `select count(*) from pg_constraint where conrelid = '%s'::regclass and conname like 'contacts_nickname_length%%'`
    expect(await onShards('check', 'contacts', checks)).toEqual(['1'])
    const defaults = `select column_default from information_schema.columns where table_name = '%s' and column_name = 'mark'`
    expect(await onShards('default', 'contact_marks', defaults)).toEqual([`'none'::text`])
    const louder = `select louder('a') from (select 1) as one limit 1 -- %s`
    expect(await onShards('louder', 'contacts', louder)).toEqual(['A'])
  })

  test('does not disturb the release before it, which still runs', async () => {
    for (const { client } of organizations) {
      const { data } = await client.post('/contacts', aContact())
      const renamed = await client.patch(`/contacts/${String(data.id)}`, { expectedVersion: 1, firstName: 'Boris' })
      expect(renamed.data).toMatchObject({ version: 2, firstName: 'Boris' })
      expect((await client.get('/contacts')).items).toHaveLength(4)
    }
    expect(api.failures).toEqual([])
  })
})

test('every migration of this version is taken by tables that were distributed before it', async () => {
  const earlier = await createClusterDatabase('empty')
  try {
    await migrate(earlier.database, first)
    await distribute(earlier.database)
    expect(await migrate(earlier.database)).toEqual((await knownMigrations()).filter(name => name > first))
    expect(await migrate(earlier.database)).toEqual([])
  } finally {
    await earlier.drop()
  }
})
