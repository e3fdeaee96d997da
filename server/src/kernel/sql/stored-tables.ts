import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'
import { identifier, inOrderOfDeletion, type Queryable, textsOf } from './tables.ts'

/** A whole table of the product or of the job queue, with the rows of all organizations. */
export interface StoredTable {
  /** `contacts`, or `jobs/_private_jobs` for a table of the queue: the same in every installation. */
  readonly name: string
  /** Its name as SQL. */
  readonly relation: string
  /** The columns that store values, without generated ones. */
  readonly columns: readonly string[]
  /** The identity columns, which PostgreSQL numbers. */
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

/** These describe the schema of the database, not its contents. */
const ofSchema = new Set(['schema_migrations', 'jobs/migrations'])

/**
 * What a restore must not revive: sessions that ended and links that were used after the backup. After a restore, everybody signs in anew.
 */
const passing = new Set(['mail_counts', 'sessions', 'sign_in_failures', 'user_links'])

/** All tables with data worth keeping. Each table comes after the tables that it refers to. */
export async function storedTables(asked: Queryable): Promise<StoredTable[]> {
  const found = await inOrderOfDeletion(asked, await asked.query(selectStoredTables, []))
  return found
    .map(toStoredTable)
    .filter(({ name }) => !ofSchema.has(name) && !passing.has(name))
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

/** Copies all rows out, for a partitioned table those of all partitions. */
export function copyRowsOut({ name, relation, columns }: StoredTable): Statement {
  const list = columns.map(identifier).join(', ')
  return { name: '', text: `-- name: copy_out_${name}\ncopy (select ${list} from ${relation}) to stdout` }
}

/** Copies rows with these columns in, in their order. */
export function copyRowsIn({ name, relation }: StoredTable, columns: readonly string[]): Statement {
  const list = columns.map(identifier).join(', ')
  return { name: '', text: `-- name: copy_in_${name}\ncopy ${relation} (${list}) from stdin` }
}

/** Selects, as `found`, whether the table has a row. */
export function findAnyRow({ name, relation }: StoredTable): Statement {
  return { name: '', text: `-- name: find_any_row_${name}\nselect exists (select from ${relation}) as found` }
}

/** Sets the numbering of a column to continue after its highest value; without rows it starts again. */
export function numberOn({ name, relation }: StoredTable, column: string): Statement {
  const sequence = `pg_get_serial_sequence('${relation.replaceAll("'", "''")}', '${column.replaceAll("'", "''")}')`
  const highest = `max(r.${identifier(column)})`
  return {
    name: '',
    text: `-- name: number_on_${name}
select setval(${sequence}, coalesce(${highest}, 1), ${highest} is not null) from ${relation} r`,
  }
}
