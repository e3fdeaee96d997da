import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, migrate } from '../server/src/kernel/sql/index.ts'
import type { Cleanup } from './cleanup.ts'
import { fillSales } from './fill-sales.ts'
import type { Options } from './options.ts'
import { startProduct } from './processes.ts'
import { configureSales } from './sales-configuration.ts'
import { databaseCpuSeconds, postmasterOf } from './usage.ts'

const rounds = 3

/**
 * The cost of a summary in an organization with many deals, compared with one `select … group by` over the same rows, alternately:
 * processor time of the database, which other programs on the machine hardly affect, and milliseconds until the answer.
 */
export async function measureSummary(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-summary-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  const database = new Database({ location: connection, connections: 2 })
  cleanup.add(() => database.close())
  await migrate(database)
  const configuration = await configureSales(database)
  console.log(`filling ${options.deals} deals`)
  await fillSales(database, configuration, options.deals)
  const { user, database: name, host, port } = connection
  const url = `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`
  const product = await startProduct(options.product, options.nodeArguments, url, cleanup)

  const costOf = async (ask: () => Promise<unknown>): Promise<Cost> => {
    const [cpu, began] = [await databaseCpuSeconds(postmaster), performance.now()]
    await ask()
    const milliseconds = performance.now() - began
    return { milliseconds, cpu: 1000 * ((await databaseCpuSeconds(postmaster)) - cpu) }
  }
  const summary = async (query: string) => {
    const headers = { authorization: `Bearer ${configuration.token}` }
    const answer = await fetch(`${product.url}/api/v1/crm/analytics/summary?${query}`, { headers })
    if (!answer.ok) throw new Error(`the summary answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const { organizationId, operators, pipelines } = configuration
  console.log('processor time of the database, and time until the answer, in ms')
  for (const [filter, column, id] of [
    ['no filter', '', ''],
    ['ownerId', 'owner_uuid', operators[0]],
    ['pipelineId', 'pipeline_id', pipelines[0]?.id],
  ] as const) {
    const condition = id === '' ? '' : ` and ${column} = '${id}'`
    for (const [period, dates] of periods()) {
      const [answers, baselines]: [Cost[], Cost[]] = [[], []]
      for (let round = 0; round < rounds; round += 1) {
        baselines.push(await costOf(() => database.script(groupBy(organizationId, condition))))
        answers.push(await costOf(() => summary(`${id === '' ? '' : `${filter}=${id}&`}${dates}`)))
      }
      const [answer, baseline] = [least(answers), least(baselines)]
      const ratio = (answer.cpu / baseline.cpu).toFixed(1)
      console.log(`  ${filter}, ${period}: ${show(answer)}; group by ${show(baseline)}; ratio ${ratio}`)
    }
  }
}

interface Cost {
  readonly milliseconds: number
  readonly cpu: number
}

const least = (costs: readonly Cost[]) => costs.reduce((one, other) => (other.cpu < one.cpu ? other : one))
const show = ({ milliseconds, cpu }: Cost) => `${cpu.toFixed(0)} (${milliseconds.toFixed(0)})`
const dateAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Query parameters for periods up to the present day, and for one that ended a year ago. */
function periods(): (readonly [string, string])[] {
  return [
    ['30 days', ''],
    ['366 days', `startDate=${dateAgo(365)}`],
    ['366 days, a year ago', `startDate=${dateAgo(730)}&endDate=${dateAgo(365)}`],
  ]
}

/** The baseline, on one core like the report, with any plan that PostgreSQL chooses. */
function groupBy(organizationId: string, condition: string): string {
  return `set max_parallel_workers_per_gather = 0;
    select d.status, d.currency, count(*), sum(d.amount)
      from deals d where d.organization_id = '${organizationId}'${condition} group by d.status, d.currency`
}
