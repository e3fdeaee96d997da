import { type Database, isDistributed, nodeSettings, statement, undistributed } from '../../../kernel/sql/index.ts'
import { type Check, check } from './check.ts'

const selectVersion = statement(
  'doctor_cluster',
  `select e.extversion as version from pg_extension e where e.extname = 'citus'`,
)

const selectNodes = statement(
  'doctor_nodes',
  `select format('%s:%s', n.nodename, n.nodeport) as name, n.isactive as active
     from pg_dist_node n where n.noderole = 'primary' order by n.groupid`,
)

const selectFromNodes = statement(
  'doctor_from_nodes',
  `select coalesce(format('%s:%s', n.nodename, n.nodeport), 'the coordinator') as node, r.success, r.result
     from run_command_on_all_nodes($1) as r
     left join pg_dist_node n on n.nodeid = r.nodeid
    order by n.groupid`,
)

/** Checks the nodes of a Citus cluster, and that all tables are distributed. No checks without a cluster. */
export async function examineCluster(database: Database): Promise<Check[]> {
  const [extension] = await database.search(selectVersion, [])
  if (extension === undefined) return []
  return [await check('cluster', () => examineNodes(database, `Citus ${String(extension.version)}`))]
}

async function examineNodes(database: Database, version: string): Promise<string> {
  const asked = { query: database.search.bind(database) }
  const nodes = await database.search(selectNodes, [])
  if (nodes.length < 2 && !(await isDistributed(asked))) return `${version} is installed and not used`
  const missing = (await undistributed(asked)).map(({ name }) => name)
  const inactive = nodes.filter(({ active }) => active !== true).map(({ name }) => String(name))
  const wrong = [
    ...(missing.length > 0
      ? [`stop every server and run migrate --citus: not distributed is ${missing.join(', ')}`]
      : []),
    ...inactive.map(name => `${name} is not active: see select citus_activate_node`),
    ...(await wrongOnNodes(database)),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  return `${version}, ${nodes.length} nodes, all tables distributed`
}

/** Which nodes do not answer, and what their roles lack, in words that tell the operator how to correct it. */
async function wrongOnNodes(database: Database): Promise<string[]> {
  const rows = await database.search(selectFromNodes, [selectMissingSettings()])
  return rows.flatMap(({ node, success, result }) => {
    if (success !== true) return [`${String(node)} does not answer: ${String(result)}`]
    return result === '' ? [] : [`run on ${String(node)}: ${String(result)}`]
  })
}

/** Runs on each node, over a connection of another node: the settings that it finds are those of the role. */
function selectMissingSettings(): string {
  const wanted = Object.entries(nodeSettings).map(([name, value]) => `('${name}', '${value}')`)
  return `select coalesce(string_agg(format('alter role %I set %s = %L', current_user, w.name, w.value), '; '), '')
            from (values ${wanted.join(', ')}) as w(name, value)
           where current_setting(w.name) <> w.value`
}
