import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, migrate, statement } from '../server/src/kernel/sql/index.ts'

/** schema.sql: what the migrations add up to. */
export const schemaFile = fileURLToPath(new URL('../server/schema.sql', import.meta.url))

const head = `-- What the migrations add up to, as PostgreSQL tells it. Nobody edits this file: change a migration that is not
-- released yet, or add one, and write this anew with \`npm run golden\`. Its difference is the review.
`

/** Migrates an empty database of its own and writes its schema. */
export async function writeSchema(): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-schema-'))
  const postgres = await startEmbeddedPostgres({ dataDirectory, settings: { fsync: 'off' } })
  try {
    const database = new Database({ location: postgres.connection, connections: 1 })
    await migrate(database)
    await writeFile(schemaFile, await renderSchema(database))
    await database.close()
  } finally {
    await postgres.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/**
 * The schema of a database as SQL that recreates it: extensions, functions, tables with their keys and indexes, and last the foreign keys,
 * each sorted by name. It depends only on the schema, so that two databases can be compared.
 */
export async function renderSchema(database: Database): Promise<string> {
  const lines = async (name: string, text: string) => {
    const rows = await database.search(statement(`schema_${name}`, text), [])
    return rows.map(row => String(row.definition))
  }
  const unknown = await lines('unknown', selectUnknown)
  if (unknown.length > 0)
    throw new Error(`the schema has kinds of objects that this script does not write: ${unknown.join(', ')}`)
  const blocks = [
    await lines('extensions', selectExtensions),
    ...(await lines('functions', selectFunctions)).map(text => [text]),
    ...(await lines('tables', selectTables)).map(text => [text]),
    await lines('foreign_keys', selectForeignKeys),
  ]
  const texts = blocks.filter(block => block.length > 0).map(block => `${block.join('\n')}\n`)
  return [head, ...texts].join('\n')
}

const isOurs = (catalog: string, oid: string) =>
  `not exists (select from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${oid} and e.deptype = 'e')`

// Every database has plpgsql.
const selectExtensions = `
  select format('create extension %I;', extname) as definition from pg_extension where extname <> 'plpgsql' order by extname`

const selectFunctions = `
  select pg_get_functiondef(p.oid) || ';' as definition
    from pg_proc p
   where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p') and ${isOurs('pg_proc', 'p.oid')}
   order by p.proname, pg_get_function_identity_arguments(p.oid)`

const columns = `
  select string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
           case when a.attcollation <> t.typcollation then format(' collate %I', c.collname) end,
           case when a.attgenerated = 's' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
                when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) end,
           case when a.attnotnull then ' not null' end), e',\\n' order by a.attnum)
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    left join pg_collation c on c.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped`

const constraints = `
  select string_agg(format(e',\\n  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), ''
           order by array_position(array['p', 'u', 'x', 'c'], k.contype::text), k.conname)
    from pg_constraint k
   where k.conrelid = r.oid and k.contype in ('p', 'u', 'x', 'c')`

// Indexes of constraints are part of the table.
const indexes = `
  select string_agg(e'\\n' || replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') || ';', '' order by x.relname)
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
   where i.indrelid = r.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = r.oid)`

// A partition inherits these from its table.
const selectTables = `
  select case when r.relispartition
           then format('create table %I partition of %s %s;', r.relname, i.inhparent::regclass, pg_get_expr(r.relpartbound, r.oid))
           else format(e'create table %I (\\n%s%s\\n)%s%s;%s', r.relname, (${columns}), (${constraints}),
             ' with (' || array_to_string(r.reloptions, ', ') || ')', ' partition by ' || pg_get_partkeydef(r.oid), (${indexes}))
         end as definition
    from pg_class r
    left join pg_inherits i on i.inhrelid = r.oid
   where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p')
   order by r.relname`

const selectForeignKeys = `
  select format('alter table %I add constraint %I %s;', r.relname, k.conname, pg_get_constraintdef(k.oid)) as definition
    from pg_constraint k
    join pg_class r on r.oid = k.conrelid
   where r.relnamespace = 'public'::regnamespace and k.contype = 'f'
   order by r.relname, k.conname`

// Kinds of objects that would silently be left out: when a migration adds the first one, write it above.
const selectUnknown = `
  select relname as definition from pg_class
   where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I') and ${isOurs('pg_class', 'pg_class.oid')}
  union all
  select tgname from pg_trigger where not tgisinternal
  union all
  select typname from pg_type t
   where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e', 'r') and ${isOurs('pg_type', 't.oid')}
  union all
  select p.proname from pg_proc p
   where p.pronamespace = 'public'::regnamespace and p.prokind not in ('f', 'p') and ${isOurs('pg_proc', 'p.oid')}
  union all
  select attname from pg_attribute a join pg_class r on r.oid = a.attrelid
   where r.relnamespace = 'public'::regnamespace and (a.attidentity <> '' or a.attgenerated not in ('', 's'))
  union all
  select polname from pg_policy`
