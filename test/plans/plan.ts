import { isObject, type JsonObject } from '../../src/kernel/schema/index.ts'
import { type Database, type Statement, statement } from '../../src/kernel/sql/index.ts'
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
export async function genericPlan(database: Database, { statement: { text } }: Sent): Promise<Plan> {
  return toPlan(await database.query(script(`explain (generic_plan, format json) ${text}`), []))
}

/** Without a name and values a text is sent as it stands, with its `$1`. */
function script(text: string): Statement {
  return { name: '', text }
}

/** Runs a statement as its pool would, tells how that went, and takes it back. */
export async function executedPlan(database: Database, sent: Sent): Promise<Plan> {
  const settings = await planningOf(database, sent.pool)
  const transaction = await database.begin()
  const run = (text: string) => transaction.query(script(text), [])
  try {
    await run(`${settings}; set local crm.claim = 'held'`)
    await run(`prepare as_sent as ${sent.statement.text}`)
    return toPlan(await run(`explain (analyze, buffers, format json) execute as_sent${valuesOf(sent)}`))
  } finally {
    // A prepared statement outlives its transaction.
    await run('rollback; deallocate as_sent')
    await transaction.rollback()
  }
}

const selectPlanning = statement(
  'test_planning',
  `select string_agg(format('set local %I = %L', name, setting), '; ' order by name) as settings
     from pg_settings where name in ('enable_seqscan', 'plan_cache_mode', 'jit')`,
)

async function planningOf(database: Database, pool: Sent['pool']): Promise<string> {
  const rows = await (pool === 'points' ? database.query(selectPlanning, []) : database.search(selectPlanning, []))
  return String(rows[0]?.settings)
}

function valuesOf({ values }: Sent): string {
  return values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
}

function toPlan(rows: readonly Record<string, unknown>[]): Plan {
  const column = rows[0]?.['QUERY PLAN']
  const explained: unknown = Array.isArray(column) ? column[0] : undefined
  if (!isObject(explained) || !isObject(explained.Plan)) throw new Error('PostgreSQL gave no plan')
  const root = toNode(explained.Plan)
  const pages = number(explained.Plan, 'Shared Hit Blocks') + number(explained.Plan, 'Shared Read Blocks')
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
