import { type Database, statement } from '../../server/src/kernel/sql/index.ts'

const selectTables = statement(
  'test_tables_of_tenants',
  `select c.relname::text as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`,
)

/** Every table of a database with rows that belong to organizations. */
export async function tablesOfTenants(database: Database): Promise<string[]> {
  return (await database.search(selectTables, [])).map(({ name }) => String(name))
}

/** How many rows of an organization each table has. */
export async function rowsOf(database: Database, organizationId: string): Promise<Record<string, number>> {
  const names = await tablesOfTenants(database)
  const counts = names.map(name => `(select count(*) from ${name} where organization_id = $1) as ${name}`)
  const [row = {}] = await database.search({ name: '', text: `select ${counts.join(', ')}` }, [organizationId])
  return Object.fromEntries(names.map(name => [name, Number(row[name])]))
}
