import { type Row, statement, type Transaction } from '../kernel/sql/index.ts'

// Every table with the column organization_id, also tables of later versions.
const selectTenantTables = statement(
  'demo_tenant_tables',
  `select c.oid::text as id, quote_ident(c.relname) as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`,
)

const selectReferences = statement(
  'demo_references',
  `select f.conrelid::text as referrer, f.confrelid::text as referred
     from pg_constraint f
    where f.contype = 'f' and f.connamespace = current_schema()::regnamespace and f.conrelid <> f.confrelid`,
)

/** Names of all tenant tables, quoted for SQL. A table stands before the tables that it refers to. */
export async function tenantTables(transaction: Transaction): Promise<string[]> {
  const tables = await transaction.query(selectTenantTables, [])
  const references = await transaction.query(selectReferences, [])
  return inOrderOfDeletion(tables, references).map(table => String(table.name))
}

function inOrderOfDeletion(tables: readonly Row[], references: readonly Row[]): Row[] {
  const ordered: Row[] = []
  let left = [...tables]
  while (left.length > 0) {
    const isReferred = ({ id }: Row) =>
      references.some(({ referrer, referred }) => referred === id && left.some(table => table.id === referrer))
    const free = left.filter(table => !isReferred(table))
    if (free.length === 0) throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(', ')}`)
    ordered.push(...free)
    left = left.filter(table => !free.includes(table))
  }
  return ordered
}
