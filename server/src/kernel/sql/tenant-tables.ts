import { type Statement, statement } from './statement.ts'
import { identifier, inOrderOfDeletion, type Queryable, textsOf } from './tables.ts'

/** A table whose rows belong to organizations. Names are as PostgreSQL stores them: `identifier` quotes them for SQL. */
export interface TenantTable {
  readonly name: string
  /** The columns that are written, without `organization_id`. */
  readonly columns: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** The column from which `organization_id` is computed, if the rows are the organizations themselves. */
  readonly identity: string | null
}

/** Tables of organizations that every node of a cluster has, because their rows are looked up before the organization is known. */
export const tablesOfEveryNode: readonly string[] = ['api_tokens', 'user_links']

// Every table with the column organization_id, including tables of later versions. Partitions are part of their table.
const selectTenantTables = statement(
  'select_tenant_tables',
  `select c.oid::text as id, c.relname::text as name,
          array(select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   and a.attname <> 'organization_id'
                 order by a.attnum) as columns,
          array(select a.attname::text
                  from pg_index i
                 cross join unnest(i.indkey::smallint[]) with ordinality as k(number, place)
                  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
                 where i.indrelid = c.oid and i.indisprimary and k.place <= i.indnkeyatts
                 order by k.place) as key,
          case when o.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end as identity
     from pg_class c
     join pg_attribute o on o.attrelid = c.oid and o.attname = 'organization_id' and not o.attisdropped
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = o.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`,
)

/** All tenant tables, read from the database. Each table comes before the tables that it refers to; organizations come last. */
export async function tenantTables(asked: Queryable): Promise<TenantTable[]> {
  const tables = await inOrderOfDeletion(asked, await asked.query(selectTenantTables, []))
  const found = tables.map(({ name, columns, key, identity }) => ({
    name: String(name),
    columns: textsOf(columns),
    key: textsOf(key),
    identity: typeof identity === 'string' ? identity : null,
  }))
  return [...found.filter(table => table.identity === null), ...found.filter(table => table.identity !== null)]
}

/** SQL of the column that contains the organization of a row, and that an index begins with. */
export function ownerColumn({ identity }: TenantTable): string {
  return identifier(identity ?? 'organization_id')
}

/** Copies out all rows of an organization, in the order of their key. The id is in the text, because `copy` takes no parameters. */
export function copyTenantRowsOut(table: TenantTable, organizationId: string): Statement {
  const [columns, key] = [table.columns, table.key].map(names => names.map(identifier).join(', '))
  const rows = `select ${columns} from ${identifier(table.name)} where ${ownerColumn(table)} = ${literal(organizationId)}`
  return { name: '', text: `-- name: copy_out_of_${table.name}\ncopy (${rows} order by ${key}) to stdout` }
}

/** Copies in rows with these columns, in their order, each after the id of its organization unless the rows are organizations. */
export function copyTenantRowsIn({ name, identity }: TenantTable, columns: readonly string[]): Statement {
  const list = [...(identity === null ? ['organization_id'] : []), ...columns.map(identifier)].join(', ')
  return { name: '', text: `-- name: copy_into_${name}\ncopy ${identifier(name)} (${list}) from stdin` }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
