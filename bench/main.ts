import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { measureBesideWrites } from './beside-writes.ts'
import { measureBulk } from './bulk.ts'
import { measureCapacity } from './capacity.ts'
import { Cleanup, withCleanup } from './cleanup.ts'
import { type Comparison, compare } from './compare.ts'
import { measureExport } from './export.ts'
import { measureGrowth } from './growth.ts'
import { measureImport } from './import.ts'
import { help, type Options, readOptions } from './options.ts'
import { measurePages } from './pages.ts'
import { Driver, startBare, startProduct } from './processes.ts'
import { measureProducts } from './products.ts'
import { makeScene, type SceneOptions } from './scene.ts'
import { measureStartup } from './startup.ts'
import { measureSummary } from './summary.ts'
import { type Line, type Memory, renderMemory, renderTable } from './table.ts'
import { MemoryWatch, postmasterOf, residentBytes } from './usage.ts'
import { measureWebhooks } from './webhooks/index.ts'

/**
 * Compares the product with a bare server that does the same work on the same durable database, alternately and under the same load: the
 * ratio shows how much of the capacity of PostgreSQL and Node.js the product leaves to its users. The ratio carries over to other machines;
 * the rates do not.
 */
async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDirectory, settings: settingsOf(options) })
  cleanup.add(() => postgres.stop())
  const postmaster = await postmasterOf(dataDirectory)
  const lines: Line[] = []
  const memories: Memory[] = []
  // An interrupted bench also shows its results so far.
  cleanup.add(async () => console.log(`\n${renderTable(lines)}\n\n${memories.map(renderMemory).join('\n')}`))
  for (const { contacts, organizations, connections, processes } of scenesOf(options)) {
    const size = `${contacts} contacts, ${organizations} organizations, ${connections} connections`
    console.log(`\n${size}, ${processes} processes`)
    const show = (comparison: Comparison) => {
      lines.push({ ...comparison, contacts, organizations, connections, processes })
      const { product, ratio, operation } = comparison
      console.log(`  ${operation}: ${product.perSecond.toFixed(0)}/s, ${ratio.toFixed(2)} of the bare server`)
    }
    const scene = { contacts, organizations, connections, processes }
    const { idle, most } = await measureScene(options, scene, postgres.connection, postmaster, cleanup, show)
    memories.push({ ...scene, idle, most })
  }
}

type Measured = SceneOptions & { readonly processes: number }

/** Every combination of the numbers of contacts, organizations, connections and processes. */
function scenesOf({ contacts, organizations, connections, processes }: Options): Measured[] {
  return contacts.flatMap(each =>
    organizations.flatMap(count =>
      connections.flatMap(clients =>
        processes.map(number => ({
          contacts: each,
          organizations: count,
          connections: clients,
          processes: number,
        })),
      ),
    ),
  )
}

/** Makes PostgreSQL delay each commit, even if no other transaction is running. */
function settingsOf({ commitDelay }: Options): Record<string, string> {
  return commitDelay === 0 ? {} : { commit_delay: String(commitDelay * 1000), commit_siblings: '0' }
}

type Connection = Awaited<ReturnType<typeof startEmbeddedPostgres>>['connection']

async function measureScene(
  options: Options,
  sceneOptions: Measured,
  connection: Connection,
  postmaster: number,
  outer: Cleanup,
  show: (comparison: Comparison) => void,
): Promise<MemoryWatch> {
  const cleanup = new Cleanup()
  outer.add(() => cleanup.run())
  const scene = await makeScene(connection, sceneOptions, cleanup)
  const { processes } = sceneOptions
  const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup, processes)
  const bare = await startBare(scene.url, cleanup, processes)
  const driver = new Driver(cleanup)
  const memory = new MemoryWatch(product.pid)
  cleanup.add(async () => memory.stop())
  await sleep(1000)
  memory.idle = await residentBytes(product.pid)
  for (const operation of options.operations) {
    show(await compare(operation, { options, scene, driver, product, bare, postmaster }))
  }
  await cleanup.run()
  return memory
}

async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) return console.log(help)
  const options = readOptions(words)
  await withCleanup(cleanup => {
    if (options.startup) return measureStartup(options.product, cleanup)
    if (options.bulk) return measureBulk(options, cleanup)
    if (options.webhooks) return measureWebhooks(options, cleanup)
    if (options.growth.length > 0) return measureGrowth(options, cleanup)
    if (options.capacity) return measureCapacity(options, cleanup)
    if (options.products) return measureProducts(options, cleanup)
    if (options.besideWrites) return measureBesideWrites(options, cleanup)
    if (options.pages) return measurePages(options, cleanup)
    if (options.export) return measureExport(options, cleanup)
    if (options.import) return measureImport(options, cleanup)
    return options.summary ? measureSummary(options, cleanup) : bench(options, cleanup)
  })
}

await main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  },
)
