import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, migrate } from '../server/src/kernel/sql/index.ts'
import type { Cleanup } from './cleanup.ts'
import { median } from './compare.ts'
import { fill } from './fill.ts'
import { fillSales } from './fill-sales.ts'
import { GrowthClient } from './growth-client.ts'
import { operations } from './growth-operations.ts'
import type { Options } from './options.ts'
import { startProduct } from './processes.ts'
import { configureSales } from './sales-configuration.ts'
import { cpuSeconds, databaseCpuSeconds, postmasterOf } from './usage.ts'

const rounds = 5
/** A ratio above this needs an explanation or a fix. */
const notable = 1.5

/** One organization with that many contacts and deals, and a server of its own. */
interface Size {
  readonly client: GrowthClient
  /** Seconds of processor time that the server and its database have used. */
  cpu(): Promise<number>
}

/**
 * The cost of an operation in a small organization and in a large one: processor time of server and database per request, with sequential
 * requests, alternately. The result is the median of the rounds.
 */
export async function measureGrowth(options: Options, cleanup: Cleanup): Promise<void> {
  const sizes: Size[] = []
  for (const records of options.growth) sizes.push(await makeSize(records, options, cleanup))
  console.log(`\nprocessor time of a request in ms, with ${options.growth.join(' and ')} contacts and deals`)
  const asked = Object.entries(operations).filter(([name]) => name.includes(options.named))
  for (const [name, { repeat, run }] of asked) {
    for (const { client } of sizes) for (let count = 0; count < repeat; count += 1) await run(client)
    const costs = new Map<Size, number[]>(sizes.map(size => [size, []]))
    for (let round = 0; round < rounds; round += 1) {
      for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
        const before = await size.cpu()
        for (let count = 0; count < repeat; count += 1) await run(size.client)
        costs.get(size)?.push((1000 * ((await size.cpu()) - before)) / repeat)
      }
    }
    const usual = sizes.map(size => median(costs.get(size) ?? []))
    const ratio = (usual.at(-1) ?? Number.NaN) / (usual[0] ?? Number.NaN)
    const shown = usual.map(cost => cost.toFixed(2).padStart(9)).join(' ')
    console.log(`  ${name.padEnd(44)}${shown}  ${ratio.toFixed(2)}${ratio > notable ? '  grows' : ''}`)
  }
}

/** Fills a database on a PostgreSQL server of its own, so that its cost can be measured separately. */
async function makeSize(records: number, options: Options, cleanup: Cleanup): Promise<Size> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-growth-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(() => postgres.stop())
  const postmaster = await postmasterOf(dataDirectory)
  const database = new Database({ location: postgres.connection, connections: 1 })
  cleanup.add(() => database.close())
  await migrate(database)
  const configuration = await configureSales(database)
  console.log(`filling ${records} contacts and deals`)
  await fillSales(database, configuration, records)
  await fill(database, configuration.organizationId, [configuration.applicationId], records)
  await database.script('vacuum analyze')
  const { pid, url } = await startProduct(options.product, options.nodeArguments, urlOf(postgres.connection), cleanup)
  const client = await GrowthClient.of({ url, database, configuration }, records)
  return { client, cpu: async () => (await cpuSeconds(pid)) + (await databaseCpuSeconds(postmaster)) }
}

function urlOf({ user, database, host, port }: EmbeddedPostgres['connection']): string {
  return `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
