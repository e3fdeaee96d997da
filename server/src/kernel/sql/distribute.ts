import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import type { Row } from './row.ts'
import { identifier } from './tables.ts'
import { ownerColumn, tenantTables } from './tenant-tables.ts'

/** Runs SQL on one connection. */
type Run = (text: string) => Promise<Row[]>

/** Tables that every node has as a whole: few rows, read often, that belong to the installation or are looked for by anybody. */
const referenceTables = ['installation', 'schema_migrations', 'api_tokens']

// What one node cannot check for all others. There is one demo organization because whoever makes it takes turns, and tokens
// go with their application because only the product removes one.
const dropUncheckable = `
  drop index if exists organizations_single_demo;
  alter table api_tokens drop constraint if exists api_tokens_organization_id_application_id_fkey`

const pollMilliseconds = 200

/**
 * Distributes the tables over the nodes of a Citus cluster, with the rows that they have; resolves to the names of those that
 * were not distributed before. Rows of an organization are together on one node. After an interruption the same call goes on.
 * Throws an error for the operator where the database is not part of a cluster.
 */
export function distribute(database: Database): Promise<string[]> {
  return database.session(async run => {
    await expectCluster(run)
    while ((await run('select pg_try_advisory_lock(7236118193) as held'))[0]?.held !== true)
      await sleep(pollMilliseconds)
    const distributed: string[] = []
    const known = new Set((await run('select t.table_name::text as name from citus_tables t')).map(({ name }) => name))
    const place = async (name: string, text: string) => {
      if (known.has(name)) return
      await run(text)
      distributed.push(name)
    }
    await run(dropUncheckable)
    for (const name of referenceTables) await place(name, `select create_reference_table('${name}')`)
    const query = ({ text }: { text: string }) => run(text)
    const tables = (await tenantTables({ query })).filter(({ name }) => !referenceTables.includes(name)).toReversed()
    for (const table of tables) {
      const by = table.identity === null ? `, colocate_with => 'organizations'` : ''
      const owner = ownerColumn(table).replaceAll('"', '')
      await place(table.name, `select create_distributed_table('${identifier(table.name)}', '${owner}'${by})`)
    }
    await distributeFunctions(run)
    // What stays behind on the coordinator would never be read again, but would be in its dumps.
    for (const name of [...tables.map(table => table.name), ...referenceTables]) {
      await run(`select truncate_local_data_after_distributing_table('${identifier(name)}')`)
    }
    return distributed
  })
}

async function expectCluster(run: Run): Promise<void> {
  const [extension] = await run(`select from pg_extension where extname = 'citus'`)
  if (extension === undefined)
    throw new Error('the database is not part of a Citus cluster: run "create extension citus" in it, on every node')
}

/** Functions that statements call where the rows are. */
async function distributeFunctions(run: Run): Promise<void> {
  const functions = await run(`
    select p.oid::regprocedure::text as name
      from pg_proc p
     where p.pronamespace = current_schema()::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`)
  for (const { name } of functions) await run(`select create_distributed_function('${String(name)}')`)
}
