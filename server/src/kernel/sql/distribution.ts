import { statement } from './statement.ts'
import { type Queryable, selectReferences } from './tables.ts'
import { tenantTables } from './tenant-tables.ts'

/** How tables are distributed over the nodes of a Citus cluster, as this process has read it. */
export interface Distribution {
  /** The position of each table with rows of organizations: each table comes after all tables that it refers to. */
  readonly places: ReadonlyMap<string, number>
  /** The tables that other tables refer to. */
  readonly referred: ReadonlySet<string>
}

// The extension creates this table in each of its databases.
const selectCluster = statement('select_cluster', `select to_regclass('pg_dist_partition') is not null as known`)

const selectDistributed = statement(
  'select_distributed',
  `select exists (select from pg_dist_partition p where p.logicalrelid = to_regclass('organizations')) as distributed`,
)

/** Whether the rows of organizations are distributed over the nodes of a cluster. */
export async function isDistributed({ query }: Queryable): Promise<boolean> {
  const [cluster] = await query(selectCluster, [])
  if (cluster?.known !== true) return false
  const [organizations] = await query(selectDistributed, [])
  return organizations?.distributed === true
}

/** Reads on one connection whether the tables are distributed, and in which order they refer to each other. */
export async function readDistribution(asked: Queryable): Promise<Distribution | null> {
  if (!(await isDistributed(asked))) return null
  const tables = (await tenantTables(asked)).toReversed()
  const references = await asked.query(selectReferences, [])
  return {
    places: new Map(tables.map(({ name }, place) => [name, place])),
    referred: new Set(references.map(({ referred_name: name }) => String(name))),
  }
}
