import { expect } from 'vitest'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'

/** Everything that the database holds of an organization, in whatever table, as text. */
export async function everything(given: Given, { id }: TestOrganization): Promise<string> {
  const tables = await given.sql(
    `select quote_ident(c.relname) as name from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  expect(tables.length).toBeGreaterThan(15)
  const rows = await Promise.all(
    tables.map(({ name }) =>
      given.sql(`select to_jsonb(t)::text as row from ${name} t where organization_id = $1`, [id]),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => String(row))
    .join('\n')
}
