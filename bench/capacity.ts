import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, statement } from '../server/src/kernel/sql/index.ts'
import type { Cleanup } from './cleanup.ts'
import { type Measured, measure, medians, type RoundSetting, warmUp } from './compare.ts'
import type { Options } from './options.ts'
import { Driver, type Side, startProduct } from './processes.ts'
import type { OperationName } from './protocol.ts'
import { makeScene } from './scene.ts'
import { postmasterOf, residentBytes } from './usage.ts'

const contacts = 100_000
const scenes = [
  { organizations: 1, connections: 1 },
  { organizations: 1, connections: 32 },
  { organizations: 20, connections: 32 },
]
const isWrite = (operation: OperationName) => ['create', 'patch', 'upsert', 'batch'].includes(operation)

/** The cost of an operation, and how much it adds to the database per request. */
interface Expense extends Measured {
  /** Bytes of the write-ahead log, which a standby receives too. */
  readonly logBytes: number
  /** Bytes by which each table grew, with its indexes, before any vacuum. */
  readonly tableBytes: ReadonlyMap<string, number>
}

/**
 * The cost of each operation for the server and its database in processor time and on disk: for one client, for many of one organization,
 * and for many organizations. The figures of docs/operations/capacity.md come from here.
 */
export async function measureCapacity(options: Options, outer: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-capacity-'))
  outer.add(() => rm(dataDirectory, { recursive: true, force: true }))
  // Dead rows stay in place, so that growth equals the written bytes.
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory, settings: { autovacuum: 'off' } })
  outer.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  for (const counts of scenes) {
    const scene = await makeScene(connection, { contacts, ...counts }, outer)
    const database = new Database({ location: { url: scene.url }, connections: 1 })
    outer.add(() => database.close())
    const product = await startProduct(options.product, options.nodeArguments, scene.url, outer)
    await sleep(1000)
    const idle = await residentBytes(product.pid)
    const setting = { options, scene, driver: new Driver(outer), postmaster }
    console.log(`\n${contacts} contacts, ${counts.organizations} organizations, ${counts.connections} connections`)
    console.log(head)
    const tables: string[] = []
    for (const operation of options.operations) {
      const expense = await expenseOf(operation, product, setting, database)
      console.log(rowOf(operation, expense))
      if (isWrite(operation)) tables.push(`${operation}, bytes of each table: ${tablesOf(expense.tableBytes)}`)
    }
    if (counts.connections === 1) console.log(tables.join('\n'))
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
    console.log(`memory: ${megabytes(idle)} MB idle, ${megabytes(await residentBytes(product.pid))} MB behind the load`)
  }
}

async function expenseOf(
  operation: OperationName,
  side: Side,
  setting: RoundSetting,
  database: Database,
): Promise<Expense> {
  await warmUp(operation, side, setting)
  const before = await sizesOf(database)
  const rounds: Measured[] = []
  for (let round = 0; round < setting.options.rounds; round += 1) {
    rounds.push(await measure(operation, side, setting.options.seconds, setting))
  }
  const after = await sizesOf(database)
  const requests = rounds.reduce((sum, each) => sum + each.requests, 0)
  const grown = [...after.tables].map(
    ([name, bytes]) => [name, (bytes - (before.tables.get(name) ?? 0)) / requests] as const,
  )
  return {
    ...medians(rounds),
    logBytes: (after.log - before.log) / requests,
    tableBytes: new Map(grown.filter(([, bytes]) => bytes >= 1).toSorted(([, one], [, other]) => other - one)),
  }
}

const selectSizes = statement(
  'bench_select_sizes',
  `select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid))::bigint as bytes,
          (pg_current_wal_insert_lsn() - '0/0')::bigint as log
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    group by 1`,
)

async function sizesOf(database: Database): Promise<{ tables: ReadonlyMap<string, number>; log: number }> {
  const rows = await database.search(selectSizes, [])
  return {
    tables: new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)])),
    log: Number(rows[0]?.log),
  }
}

const head = `| operation | a second | p50 ms | p99 ms | server µs | database µs | log bytes | table bytes |
|---|---|---|---|---|---|---|---|`

function rowOf(operation: OperationName, expense: Expense): string {
  const { perSecond, p50, p99, cpu, databaseCpu, logBytes, tableBytes } = expense
  const grown = [...tableBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
  const written = isWrite(operation) ? [logBytes.toFixed(0), grown.toFixed(0)] : ['', '']
  const figures = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), cpu.toFixed(0), databaseCpu.toFixed(0)]
  return `| ${[operation, ...figures, ...written].join(' | ')} |`
}

const tablesOf = (bytes: ReadonlyMap<string, number>) =>
  [...bytes].map(([name, each]) => `${name} ${each.toFixed(0)}`).join(', ')
