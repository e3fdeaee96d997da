import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

/** Anything that runs statements: a transaction, or the pools. */
export interface Queryable {
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Which tables refer to which. */
export const selectReferences = statement(
  'select_references_of_tables',
  `select f.conrelid::text as referrer, f.confrelid::text as referred, r.relname::text as referred_name
     from pg_constraint f
     join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and f.conrelid <> f.confrelid
      and f.connamespace in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))`,
)

/** The same tables, each with its `id` and `name`, in an order for deletion: each comes before those that it refers to. */
export async function inOrderOfDeletion(asked: Queryable, tables: readonly Row[]): Promise<Row[]> {
  const references = await asked.query(selectReferences, [])
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

/** Quotes a name for SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The texts of an array column. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
