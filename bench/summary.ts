import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Secret } from '../server/src/kernel/index.ts'
import { Database, migrate } from '../server/src/kernel/sql/index.ts'
import {
  createApplication,
  createLostReason,
  createOperator,
  createOrganization,
  createPipeline,
  createToken,
} from '../server/src/settings/index.ts'
import type { Cleanup } from './cleanup.ts'
import { fillSales, type SalesConfiguration } from './fill-sales.ts'
import type { Options } from './options.ts'
import { startProduct } from './processes.ts'
import { databaseCpuSeconds, postmasterOf } from './usage.ts'

const repetitions = 3
const stages = ['New:open', 'Talks:open', 'Offer:open', 'Won:won', 'Lost:lost'].map(text => {
  const [name = '', type = ''] = text.split(':')
  return { name, type }
})

/**
 * What a summary costs in an organization of many deals, beside one `select … group by` over the same rows: processor
 * time of the database, which other programs on the machine hardly change, and milliseconds until the answer.
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
  const configuration = await configure(database)
  await fillSales(database, configuration, options.deals)
  await database.script('vacuum analyze')
  const { user, database: name, host, port } = connection
  const url = `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`
  const product = await startProduct(options.product, options.nodeArguments, url, cleanup)

  const measured = async (ask: () => Promise<unknown>) => {
    const rounds: Cost[] = []
    for (let round = 0; round < repetitions; round += 1) {
      const [cpu, began] = [await databaseCpuSeconds(postmaster), performance.now()]
      await ask()
      const milliseconds = performance.now() - began
      rounds.push({ milliseconds, cpu: 1000 * ((await databaseCpuSeconds(postmaster)) - cpu) })
    }
    return rounds.reduce((least, each) => (each.cpu < least.cpu ? each : least))
  }
  const summary = async (query: string) => {
    const headers = { authorization: `Bearer ${configuration.token}` }
    const answer = await fetch(`${product.url}/api/v1/crm/analytics/summary?${query}`, { headers })
    if (!answer.ok) throw new Error(`the summary answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const [operator, pipeline] = [configuration.operators[0], configuration.pipelines[0]?.id]
  const { organizationId } = configuration
  // On a connection without time limits.
  const grouped = (condition: string) => measured(() => database.script(groupBy(organizationId, condition)))
  const all = await grouped('')
  console.log(`${options.deals} deals; processor time of the database, and time until the answer, in ms`)
  const longest = `&startDate=${dateAgo(365)}`
  for (const [query, condition] of [
    ['', ''],
    [`ownerId=${operator}`, ` and d.owner_uuid = '${operator}'`],
    [`pipelineId=${pipeline}`, ` and d.pipeline_id = '${pipeline}'`],
  ] as const) {
    const same = await grouped(condition)
    for (const [period, dates] of [
      ['30 days', ''],
      ['366 days', longest],
    ] as const) {
      const cost = await measured(() => summary(`${query}${dates}`))
      const ratios = `${(cost.cpu / same.cpu).toFixed(1)} of the same rows, ${(cost.cpu / all.cpu).toFixed(1)} of all`
      console.log(
        `  ${query.split('=')[0] || 'no filter'}, ${period}: ${show(cost)}; group by ${show(same)}; ratio ${ratios}`,
      )
    }
  }
}

interface Cost {
  readonly milliseconds: number
  readonly cpu: number
}

const show = ({ milliseconds, cpu }: Cost) => `${cpu.toFixed(0)} (${milliseconds.toFixed(0)})`

const dateAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

function groupBy(organizationId: string, condition: string): string {
  return `select d.status, d.currency, count(*), sum(d.amount)
     from deals d where d.organization_id = '${organizationId}'${condition} group by d.status, d.currency`
}

/** An organization with two pipelines, 50 operators, and a token for everything. */
async function configure(database: Database): Promise<SalesConfiguration & { readonly token: string }> {
  const administration = { database, secret: new Secret('a secret of the benchmark') }
  const { id: organizationId } = await createOrganization(administration, { name: 'Bench' })
  const pipelines: SalesConfiguration['pipelines'][number][] = []
  for (const name of ['Direct', 'Partners']) {
    const created = await createPipeline(administration, { organizationId, name, stages })
    pipelines.push({ id: created.id, stages: created.stages.map(({ uuid }) => uuid) })
  }
  const operators: string[] = []
  for (let number = 1; number <= 50; number += 1) {
    const operator = { organizationId, name: `Operator ${number}`, email: `operator.${number}@example.com` }
    operators.push((await createOperator(administration, operator)).id)
  }
  const lostReason = await createLostReason(administration, { organizationId, name: 'Bench' })
  const rates = { rateRead: 1_000_000, rateWrite: 1_000_000 }
  const { id: applicationId } = await createApplication(administration, { organizationId, name: 'Bench', ...rates })
  const { token } = await createToken(administration, { organizationId, applicationId, name: 'Bench', scopes: ['all'] })
  return { organizationId, pipelines, operators, lostReasons: [lostReason.uuid], token }
}
