import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'
import { identifier, inOrderOfDeletion, type Queryable, textsOf } from './tables.ts'

/** A table of the product or of the job queue, whole: with the rows of all organizations. */
export interface StoredTable {
  /** `contacts`, and `jobs/_private_jobs` for a table of the queue: the same in every installation. */
  readonly name: string
  /** Its name as SQL. */
  readonly relation: string
  /** The columns that hold values of their own, and are not computed. */
  readonly columns: readonly string[]
  /** The columns that PostgreSQL numbers by itself. */
  readonly numbered: readonly string[]
}

const selectStoredTables = statement(
  'select_stored_tables',
  `select c.oid::text as id, c.relname::text as name, n.nspname = 'graphile_worker' as "isOfQueue",
          array(select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                 order by a.attnum) as columns,
          array(select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and a.attidentity <> '') as numbered
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
    where n.oid in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))
      and c.relkind in ('r', 'p') and not c.relispartition
    order by n.nspname, c.relname`,
)

/** They tell the form of the database, and not what is in it. */
const ofSchema = new Set(['schema_migrations', 'jobs/migrations'])

/** All tables with rows that somebody would miss. A table stands behind those that it refers to. */
export async function storedTables(asked: Queryable): Promise<StoredTable[]> {
  const found = await inOrderOfDeletion(asked, await asked.query(selectStoredTables, []))
  return found
    .map(toStoredTable)
    .filter(({ name }) => !ofSchema.has(name))
    .toReversed()
}

function toStoredTable({ name, isOfQueue, columns, numbered }: Row): StoredTable {
  const table = identifier(String(name))
  return {
    name: isOfQueue === true ? `jobs/${String(name)}` : String(name),
    relation: isOfQueue === true ? `graphile_worker.${table}` : table,
    columns: textsOf(columns),
    numbered: textsOf(numbered),
  }
}

/** Gives all rows. Of a partitioned table they come from all partitions. */
export function copyRowsOut({ name, relation, columns }: StoredTable): Statement {
  const list = columns.map(identifier).join(', ')
  return { name: '', text: `-- name: copy_out_${name}\ncopy (select ${list} from ${relation}) to stdout` }
}

/** Takes rows with these columns, in their order. */
export function copyRowsIn({ name, relation }: StoredTable, columns: readonly string[]): Statement {
  const list = columns.map(identifier).join(', ')
  return { name: '', text: `-- name: copy_in_${name}\ncopy ${relation} (${list}) from stdin` }
}

/** Tells whether there is any row. */
export function findAnyRow({ name, relation }: StoredTable): Statement {
  return { name: '', text: `-- name: find_any_row_${name}\nselect exists (select from ${relation}) as found` }
}

/** Lets PostgreSQL go on numbering behind the highest number of a column; one without rows begins anew. */
export function numberOn({ name, relation }: StoredTable, column: string): Statement {
  const sequence = `pg_get_serial_sequence('${relation.replaceAll("'", "''")}', '${column.replaceAll("'", "''")}')`
  const highest = `max(r.${identifier(column)})`
  return {
    name: '',
    text: `-- name: number_on_${name}
select setval(${sequence}, coalesce(${highest}, 1), ${highest} is not null) from ${relation} r`,
  }
}
