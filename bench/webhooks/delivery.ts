import { statement } from '../../server/src/kernel/sql/index.ts'
import type { Cleanup } from '../cleanup.ts'
import { median } from '../compare.ts'
import type { Options } from '../options.ts'
import { startProduct } from '../processes.ts'
import { cpuSeconds, databaseCpuSeconds, MemoryWatch } from '../usage.ts'
import { Client } from './client.ts'
import { Jobs } from './jobs.ts'
import { onStage } from './stage.ts'
import { createWebhooks, drained, receiverPaths, startReceivers } from './webhooks.ts'

const perSecond = 300
/** Fewer beside a job, whose cost is what is left without theirs. */
const perSecondBeside = 100
const batch = 10
const working = 7
const rounds = 3

/** The highest allowed figures. */
const most = { lag: 1000, megabytes: 96, statements: 0.1, brokenRows: 3000, loss: 0.2 }

// PostgreSQL leaves the names of statements out here. The bench reads the feed in no other way.
const countStatements = statement(
  'bench_count_statements_of_webhooks',
  `select coalesce(sum(s.calls), 0)::integer as calls
     from pg_stat_statements s
    where s.query like '%webhook_%' or s.query ~ '^select.*\\mfrom changes c\\M'`,
)

const countRows = statement(
  'bench_count_rows_of_webhooks',
  `select ((select count(*) from webhook_failures f where f.subscription_id = any ($1::uuid[]))
         + (select count(*) from webhook_parked k where k.subscription_id = any ($1::uuid[]))
         + (select count(*) from webhook_runs r where r.subscription_id = any ($1::uuid[]))
         + (select count(*) from webhook_positions p where p.subscription_id = any ($1::uuid[])))::integer as rows`,
)

/** Events at a constant rate to ten receivers of which three are broken, and an import and an export beside them. */
export async function measureDelivery(options: Options, outer: Cleanup): Promise<void> {
  await onStage({ contacts: 10_000, organizations: 1, connections: 1 }, outer, async (stage, cleanup) => {
    const { database, statistics, client: member, postmaster } = stage
    const product = await startProduct(options.product, options.nodeArguments, stage.scene.url, cleanup)
    const receivers = await startReceivers(cleanup)
    const client = new Client(product, member)
    const jobs = new Jobs(client, Math.min(10_000, Math.ceil(options.events / 5)))
    const cpu = async () => (await cpuSeconds(product.pid)) + (await databaseCpuSeconds(postmaster))

    /** Microseconds of processor time for each event, and the peak memory of the server. */
    const stream = async (count: number, rate = perSecond) => {
      const memory = new MemoryWatch(product.pid)
      const before = await cpu()
      const { made, seconds } = await client.createSteadily({ count, perSecond: rate, batch })
      await drained(database)
      memory.stop()
      return {
        made,
        rate: made / seconds,
        each: (((await cpu()) - before) * 1e6) / made,
        megabytes: memory.most / 2 ** 20,
      }
    }
    /** The same for each row of a job beside the events, without what these cost by themselves. */
    const beside = async (rows: () => number, job: () => Promise<void>) => {
      const costs: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const { each } = await stream(3 * perSecondBeside, perSecondBeside)
        const stop = new AbortController()
        const before = await cpu()
        const endless = { count: Number.MAX_SAFE_INTEGER, perSecond: perSecondBeside, batch }
        const events = client.createSteadily(endless, stop.signal)
        const count = rows()
        await Promise.all([job().finally(() => stop.abort()), events])
        await drained(database)
        costs.push((((await cpu()) - before) * 1e6 - each * (await events).made) / count)
      }
      return median(costs)
    }
    const besideBoth = async () => ({
      import: await beside(
        () => jobs.rows,
        () => jobs.import(),
      ),
      export: await beside(
        () => jobs.companies,
        () => jobs.export(),
      ),
    })

    // Frequently run code is compiled by then.
    await jobs.import()
    await jobs.export()
    await stream(Math.min(options.events, 3000))
    const alone = await stream(Math.max(3000, Math.ceil(options.events / 10)))
    const jobsAlone = await besideBoth()

    const webhooks = { port: receivers.port, kinds: ['contact.*'], paths: receiverPaths }
    const ids = await createWebhooks(database, member, webhooks)
    await stream(Math.min(options.events, 3000))
    await receivers.take()
    await statistics.script('select pg_stat_statements_reset()')
    const told = await stream(options.events)
    const figures = await receivers.take()
    const [statements] = await statistics.query(countStatements, [])
    const [broken] = await database.query(countRows, [ids.slice(working)])
    const jobsTold = await besideBoth()

    const { delivered, p50, p99, doubled } = figures
    const missing = told.made * working - delivered + doubled
    console.log(
      `  ${told.made} events, ${told.rate.toFixed(0)}/s; delivered ${delivered}, missing ${missing}, doubled ${doubled}; calls of broken receivers ${figures.broken}`,
    )
    show('lag in ms', `p50 ${p50.toFixed(0)}, most ${figures.most.toFixed(0)}, p99`, p99, most.lag)
    show('more memory', 'MB', told.megabytes - alone.megabytes, most.megabytes)
    show('statements for a delivery', '', Number(statements?.calls) / delivered, most.statements)
    show('rows of broken receivers', '', Number(broken?.rows), most.brokenRows)
    const ofDelivery = ((told.each - alone.each) / working).toFixed(0)
    console.log(`  µs of processor time: ${alone.each.toFixed(0)} for an event, ${ofDelivery} for a delivery`)
    for (const job of ['import', 'export'] as const) {
      const [without, beside] = [jobsAlone[job], jobsTold[job]]
      const costs = `µs for a row: ${without.toFixed(0)} without webhooks, ${beside.toFixed(0)} with them; more by`
      show(job, costs, beside / without - 1, most.loss)
    }
  })
}

function show(what: string, detail: string, figure: number, limit: number): void {
  const digits = limit < 1 ? 3 : 0
  const verdict = figure <= limit ? 'meets' : 'above'
  console.log(`  ${what}: ${detail} ${figure.toFixed(digits)} (${verdict} ${limit})`)
}
