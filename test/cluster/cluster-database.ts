import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { Database, distribute, migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { type TestDatabase, testSecret } from '../support/database.ts'

/** A database of its own on all nodes of the cluster of the run. */
export interface ClusterDatabase extends TestDatabase {
  readonly name: string
  /** On the coordinator, as a program is told it. */
  readonly url: string
  readonly user: string
  readonly workers: readonly Node[]
  /** Runs a script in the database of every node. */
  everywhere(script: string): Promise<void>
}

interface Node {
  readonly host: string
  readonly port: number
  /** Runs a script in the database of this node. */
  script(text: string): Promise<void>
}

const selectNodes = statement(
  'test_cluster_nodes',
  `select n.nodename as host, n.nodeport as port from pg_dist_node n where n.noderole = 'primary' order by n.groupid`,
)

/**
 * Makes such a database, which no migration has seen, or whose tables are `distributed`. The user of CITUS_URL has to be a superuser.
 */
export async function createClusterDatabase(state: 'empty' | 'distributed', connections = 4): Promise<ClusterDatabase> {
  const cluster = inject('cluster')
  if (cluster === undefined) throw new Error('the run is not about a cluster')
  const rows = await using(cluster, database => database.search(selectNodes, []))
  const name = `cluster_${randomUUID().replaceAll('-', '')}`
  const nodes = rows.map(({ host, port }) => {
    const url = new URL(cluster)
    url.hostname = String(host)
    url.port = String(port)
    const maintenance = url.href
    url.pathname = `/${name}`
    return {
      host: url.hostname,
      port: Number(port),
      maintenance,
      url: url.href,
      script: (text: string) => run(url.href, text),
    }
  })
  const [coordinator, ...workers] = nodes
  if (coordinator === undefined)
    throw new Error('the coordinator does not know its own address: citus_set_coordinator_host')
  for (const node of nodes) {
    await run(node.maintenance, `create database ${name}`)
    await node.script('create extension citus; create extension pg_trgm; create extension btree_gin')
  }
  await coordinator.script(`select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const { host, port } of workers) await coordinator.script(`select citus_add_node('${host}', ${port})`)
  if (state === 'distributed') {
    await using(coordinator.url, async database => {
      await migrate(database)
      await distribute(database)
    })
  }
  const location = { url: coordinator.url }
  const database = new Database({ location, connections })
  return {
    name,
    url: coordinator.url,
    user: decodeURIComponent(new URL(cluster).username),
    workers,
    database,
    location,
    secret: testSecret,
    async everywhere(script) {
      for (const node of nodes) await node.script(script)
    },
    async drop() {
      await database.close()
      for (const node of nodes.toReversed()) await run(node.maintenance, `drop database ${name} with (force)`)
    },
  }
}

const run = (url: string, text: string) => using(url, database => database.script(text))

/** On a node that is not the coordinator, the installation would be taken for a restored one. */
async function using<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = new Database({ location: { url }, connections: 1, whenOther: 'leave' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
