import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'
import { selectReferences } from './tables.ts'
import { tenantTables } from './tenant-tables.ts'

/** What a process knows of tables that are distributed over the nodes of a Citus cluster. */
export interface Distribution {
  /** The place of each table with rows of organizations: it stands behind all that it refers to. */
  readonly places: ReadonlyMap<string, number>
  /** The tables that others refer to. */
  readonly referred: ReadonlySet<string>
}

// The extension has this table in each of its databases.
const selectCluster = statement('select_cluster', `select to_regclass('pg_dist_partition') is not null as known`)

const selectDistributed = statement(
  'select_distributed',
  `select exists (select from pg_dist_partition p where p.logicalrelid = to_regclass('organizations')) as distributed`,
)

/** Asks on one connection whether the tables are distributed, and in which order they refer to each other. */
export async function readDistribution(
  query: (asked: Statement, values: readonly unknown[]) => Promise<Row[]>,
): Promise<Distribution | null> {
  const [cluster] = await query(selectCluster, [])
  if (cluster?.known !== true) return null
  const [organizations] = await query(selectDistributed, [])
  if (organizations?.distributed !== true) return null
  const tables = (await tenantTables({ query })).toReversed()
  const references = await query(selectReferences, [])
  return {
    places: new Map(tables.map(({ name }, place) => [name, place])),
    referred: new Set(references.map(({ referred_name: name }) => String(name))),
  }
}
