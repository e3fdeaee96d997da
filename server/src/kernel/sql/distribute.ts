import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import type { Run } from './script.ts'
import { type Statement, statement } from './statement.ts'
import { identifier, inOrderOfDeletion, type Queryable } from './tables.ts'
import { ownerColumn, type TenantTable, tablesOfEveryNode, tenantTables } from './tenant-tables.ts'

// Every node has the few rows that belong to no organization, and the tokens and links, which are looked up before their organization is
// known. Only the rows about workers stay on the coordinator, with the queue of jobs.
const selectShared = statement(
  'select_tables_of_every_node',
  `select c.oid::text as id, c.relname::text as name
     from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('job_workers', 'webhook_leases')
      and (c.relname in (${tablesOfEveryNode.map(name => `'${name}'`).join(', ')})
           or not exists (select from pg_attribute a
                           where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped))
    order by c.relname`,
)

// Not from citus_tables: it asks for the sizes of all tables on connections of its own, which would wait for what a migration has changed.
const selectPlaced = statement(
  'select_placed_tables',
  `select c.relname::text as name
     from pg_dist_partition p
     join pg_class c on c.oid = p.logicalrelid
    where p.partmethod <> 'n' or p.repmodel = 't'`,
)

// Constraints that a node cannot check across the cluster. The product enforces them itself: processes that create the demo organization
// take turns, so there is only one, and an application is removed together with its tokens.
const dropUncheckable = `
  drop index if exists organizations_single_demo;
  alter table api_tokens drop constraint if exists api_tokens_organization_id_application_id_fkey`

/** A table that is only on the coordinator, and the call that distributes it. */
export interface Undistributed {
  readonly name: string
  readonly call: string
}

/** The tables that still have to be distributed, in a valid order: each table comes after all tables that it refers to. */
export async function undistributed(asked: Queryable): Promise<Undistributed[]> {
  const placed = new Set((await asked.query(selectPlaced, [])).map(({ name }) => name))
  const ordered = (await inOrderOfDeletion(asked, await asked.query(selectShared, []))).toReversed()
  const shared = ordered.map(({ name }) => String(name))
  const owned = (await tenantTables(asked)).filter(({ name }) => !shared.includes(name)).toReversed()
  const all = [
    ...shared.map(name => ({ name, call: `create_reference_table('${identifier(name)}')` })),
    ...owned.map(ofOwner),
  ]
  return all.filter(({ name }) => !placed.has(name))
}

/** Rows of an organization are on the node of its own row. */
function ofOwner(table: TenantTable): Undistributed {
  const owner = ownerColumn(table).replaceAll('"', '')
  const beside = table.identity === null ? `, colocate_with => 'organizations'` : ''
  return { name: table.name, call: `create_distributed_table('${identifier(table.name)}', '${owner}'${beside})` }
}

/**
 * Distributes everything that is not distributed yet: tables, whose names it returns, and the functions that statements call on the node of
 * the rows.
 */
export async function distributeNew(run: Run): Promise<string[]> {
  const tables = await undistributed({ query: ({ text }: Statement) => run(text) })
  for (const { call } of tables) await run(`select ${call}`)
  for (const { name } of await run(selectNewFunctions))
    await run(`select create_distributed_function('${String(name)}')`)
  return tables.map(({ name }) => name)
}

const selectNewFunctions = `
  select p.oid::regprocedure::text as name
    from pg_proc p
   where p.pronamespace = current_schema()::regnamespace
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`

const pollMilliseconds = 200

/**
 * Distributes the tables over the nodes of a Citus cluster, with their rows; resolves to the names of the tables that were not distributed
 * before. All rows of an organization are on one node. After an interruption, calling it again continues. Throws an error for the operator
 * if the database is not part of a cluster.
 */
export function distribute(database: Database): Promise<string[]> {
  return database.session(async run => {
    await expectCluster(run)
    while ((await run('select pg_try_advisory_lock(7236118193) as held'))[0]?.held !== true)
      await sleep(pollMilliseconds)
    await run(dropUncheckable)
    const distributed = await distributeNew(run)
    for (const { name } of await run(selectLeftBehind))
      await run(`select truncate_local_data_after_distributing_table('${String(name)}')`)
    return distributed
  })
}

// Rows left on the coordinator would never be read again, but would be in its dumps. The rows of a partitioned table are in its partitions.
const selectLeftBehind = `
  select quote_ident(c.relname) as name
    from citus_tables t
    join pg_class c on c.oid = t.table_name
   where t.citus_table_type in ('distributed', 'reference') and c.relnamespace = current_schema()::regnamespace
     and not c.relispartition
     and (pg_relation_size(c.oid) > 0
          or exists (select from pg_partition_tree(c.oid) as p where pg_relation_size(p.relid) > 0))`

async function expectCluster(run: Run): Promise<void> {
  const [extension] = await run(`select from pg_extension where extname = 'citus'`)
  if (extension === undefined)
    throw new Error('the database is not part of a Citus cluster: run "create extension citus" in it, on every node')
}
