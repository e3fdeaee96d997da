import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import type { Sent } from './recorded-api.ts'

/** One node of a plan, with what it was made of. */
export interface PlanNode {
  readonly type: string
  /** The table, where it reads or writes one. */
  readonly table: string | undefined
  readonly index: string | undefined
  readonly indexCondition: string
  readonly filter: string
  /** Rows that it gave, and that it read in vain; 0 unless it was executed. */
  readonly rows: number
  readonly removed: number
  /** The name of the fragment that it is the top of, or that it reads. */
  readonly fragment: string | undefined
  readonly reads: string | undefined
  readonly children: readonly PlanNode[]
}

export interface Plan {
  readonly root: PlanNode
  readonly nodes: readonly PlanNode[]
  /** Pages that were touched, in memory or not; 0 unless it was executed. */
  readonly pages: number
}

/** The plan that the connections for point reads and writes have for any values, as it would be made now. */
export function genericPlan(database: Database, sent: Sent): Promise<Plan> {
  return explain(database, sent, 'format json', {})
}

/** Runs a statement as its pool would, tells how that went, and takes it back. */
export async function executedPlan(database: Database, sent: Sent): Promise<Plan> {
  const settings = await planningOf(database, sent.pool)
  return explain(database, sent, 'analyze, timing off, buffers, format json', { ...settings, 'crm.claim': 'held' })
}

let explained = 0

async function explain(database: Database, sent: Sent, options: string, settings: Record<string, string>) {
  const transaction = await database.begin()
  // What is prepared outlives its transaction, and so needs a name of its own.
  explained += 1
  const name = `explained_${explained}`
  const run = (text: string) => transaction.query(statement(`${name} ${text.slice(0, 7)}`, text), [])
  try {
    await transaction.query(set, [Object.keys(settings), Object.values(settings)])
    await run(`prepare ${name} as ${sent.statement.text}`)
    return toPlan(await run(`explain (${options}) execute ${name}${valuesOf(sent)}`))
  } finally {
    await transaction.rollback()
  }
}

const set = statement(
  'test_set',
  'select set_config(s.name, s.setting, true) from unnest($1::text[], $2::text[]) as s(name, setting)',
)

const selectPlanning = statement(
  'test_planning',
  `select name, setting from pg_settings
    where name in ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort', 'plan_cache_mode', 'jit', 'work_mem', 'cpu_tuple_cost',
      'max_parallel_workers_per_gather')`,
)
const someReader = { organizationId: 'test', giveWay: async () => {}, whenGone: () => () => {} }

async function planningOf(database: Database, pool: Sent['pool']): Promise<Record<string, string>> {
  const ask = {
    points: () => database.query(selectPlanning, []),
    queries: () => database.search(selectPlanning, []),
    reports: () => database.report(selectPlanning, [], someReader),
  }
  const rows = await ask[pool]()
  return Object.fromEntries(rows.map(({ name, setting }) => [String(name), String(setting)]))
}

function valuesOf({ statement, values }: Sent): string {
  const literals = values.map((value, index) => {
    // What is sent as bytes is a text where the statement says so.
    const isText = new RegExp(`\\$${index + 1}::(json|text)\\b`, 'u').test(statement.text)
    return literal(isText && Buffer.isBuffer(value) ? value.toString() : value)
  })
  return values.length === 0 ? '' : `(${literals.join(', ')})`
}

function toPlan(rows: readonly Record<string, unknown>[]): Plan {
  const column = rows[0]?.['QUERY PLAN']
  const first: unknown = Array.isArray(column) ? column[0] : undefined
  if (!isObject(first) || !isObject(first.Plan)) throw new Error('PostgreSQL gave no plan')
  const root = toNode(first.Plan)
  const pages = number(first.Plan, 'Shared Hit Blocks') + number(first.Plan, 'Shared Read Blocks')
  return { root, nodes: [...nodesOf(root)], pages }
}

function toNode(raw: JsonObject): PlanNode {
  const text = (name: string) => (typeof raw[name] === 'string' ? raw[name] : undefined)
  const loops = number(raw, 'Actual Loops')
  const removed = number(raw, 'Rows Removed by Filter') + number(raw, 'Rows Removed by Index Recheck')
  return {
    type: text('Node Type') ?? '',
    table: text('Relation Name'),
    index: text('Index Name'),
    indexCondition: text('Index Cond') ?? '',
    filter: text('Filter') ?? '',
    rows: number(raw, 'Actual Rows') * loops,
    removed: removed * loops,
    fragment: /^CTE (.+)$/u.exec(text('Subplan Name') ?? '')?.[1],
    reads: text('CTE Name'),
    children: (Array.isArray(raw.Plans) ? raw.Plans : []).filter(isObject).map(toNode),
  }
}

function* nodesOf(node: PlanNode): Iterable<PlanNode> {
  yield node
  for (const child of node.children) yield* nodesOf(child)
}

function number(raw: JsonObject, name: string): number {
  return Number(raw[name] ?? 0)
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return quoted(`{${value.map(element).join(',')}}`)
  if (value instanceof Uint8Array) return quoted(`\\x${Buffer.from(value).toString('hex')}`)
  return quoted(String(value))
}

function element(value: unknown): string {
  return value === null ? 'null' : `"${String(value).replace(/["\\]/gu, character => `\\${character}`)}"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function rowsRead({ nodes }: Plan): number {
  return Math.max(...nodes.map(({ rows, removed }) => rows + removed))
}

export function indexesOf(plans: readonly Plan[]): unknown[] {
  return plans.flatMap(({ nodes }) => nodes.map(({ index }) => index))
}
