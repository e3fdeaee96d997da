import { isObject } from '../schema/index.ts'

/**
 * The number of rows that a plan expects, from what `explain (format json)` answers; null if it does not say. The coordinator of a cluster
 * expects nothing itself, and shows the plans of the nodes.
 */
export function expectedRows(explained: unknown): number | null {
  const [first] = Array.isArray(explained) ? explained : []
  const plan = isObject(first) && isObject(first.Plan) ? first.Plan : {}
  if (!('Distributed Query' in plan)) return rowsOf(plan)
  const remote = remotePlansIn(plan['Distributed Query']).map(expectedRows)
  const known = remote.filter(rows => rows !== null)
  return known.length === 0 || known.length < remote.length ? null : known.reduce((sum, rows) => sum + rows, 0)
}

function rowsOf(plan: Readonly<Record<string, unknown>>): number | null {
  const rows = plan['Plan Rows']
  return typeof rows === 'number' ? rows : null
}

/** What each node has answered: a list of plans in which the answer of the node is a list itself. */
function remotePlansIn(query: unknown): unknown[] {
  const job = isObject(query) ? query.Job : undefined
  const tasks = isObject(job) && Array.isArray(job.Tasks) ? job.Tasks : []
  return tasks.flatMap(task => {
    const plans: unknown = isObject(task) ? task['Remote Plan'] : undefined
    return Array.isArray(plans) ? plans : [null]
  })
}
