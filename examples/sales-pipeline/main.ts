import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Company, readAccounts } from './accounts.ts'
import { type Agent, readAgents } from './agents.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import { type Client, createClient } from './client.ts'
import { demoToken } from './commands.ts'
import { unknownCustomer, upsertCustomer } from './customers.ts'
import { type Deal, type DealContext, isInItsStage, moveDeal, upsertDeals } from './deals.ts'
import { ensureDirectories } from './directories.ts'
import { importCompanies, importDealCompanies } from './imports.ts'
import { listOf, textOf, textOrBlank } from './json.ts'
import { type Opportunity, readOpportunities, readProducts } from './opportunities.ts'
import { Outcomes } from './outcomes.ts'
import { chunksOf, inParallel } from './parallel.ts'
import { formatCount, Progress, reportWait } from './progress.ts'
import { describeTotals, totalsOfFile, totalsOfPipeline } from './totals.ts'

/** Four small files with fictitious sales, for a first run. */
const sampleFolder = fileURLToPath(new URL('sample', import.meta.url))
const currency = 'USD'
const parallelRequests = 4
const parallelBatches = 2

async function main(folder: string, viaImport: boolean) {
  // All files are read before anything is written, so an invalid row leaves the CRM unchanged.
  const { agents, companies, opportunities } = await readFolder(folder)
  const client = await connect()
  const capabilities = await readCapabilities(client)
  requireCurrency(capabilities)

  const directories = await ensureDirectories(client, agents, new Progress('Operators', agents.length))
  const unknownCustomerId = await (viaImport ? importCustomers : upsertCustomers)(client, companies)

  const context = { ...directories, client, currency, unknownCustomerId }
  const { deals, outcomes } = await upsertAll(context, opportunities, capabilities.batchItems)
  if (viaImport) {
    const companyIds = await readCompanyIds(client, capabilities.listMax)
    console.log(`Links of deals: ${await importDealCompanies(client, deals, companyIds)}`)
  }
  await moveAll(context, deals, outcomes, capabilities.writesPerMinute)
  console.log(`Deals: ${outcomes.describe(['created', 'updated', 'unchanged', 'moved'])}`)

  const expected = describeTotals(totalsOfFile(opportunities, currency)).join('\n')
  const actual = describeTotals(await totalsOfPipeline(client, directories, capabilities.listMax)).join('\n')
  console.log(`\nThe pipeline in the CRM:\n${actual}`)
  if (actual !== expected) throw new Error(`The totals do not match the file, which has:\n${expected}`)
}

async function readFolder(
  folder: string,
): Promise<{ agents: Agent[]; companies: Company[]; opportunities: Opportunity[] }> {
  const read = (file: string) =>
    readFile(join(folder, file), 'utf8').catch(cause => {
      throw new Error(`${folder} has no ${file}: README.md of the example says which files there are to be`, { cause })
    })
  const agents = readAgents(await read('sales_teams.csv'))
  const companies = readAccounts(await read('accounts.csv'))
  const opportunities = readOpportunities(await read('sales_pipeline.csv'), {
    agents: new Set(agents.map(({ name }) => name)),
    products: new Set(readProducts(await read('products.csv'))),
    accounts: new Set(companies.map(({ name }) => name)),
  })
  return { agents, companies, opportunities }
}

async function connect(): Promise<Client> {
  const baseUrl = new URL(env.CRM_BASE_URL || 'http://127.0.0.1:3000').href.replace(/\/+$/, '')
  const token = env.CRM_TOKEN?.trim() || (await demoToken())
  // Checked here, because the error of the HTTP client would print an invalid header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('The token is empty or has characters that no token has')
  return createClient({ baseUrl, token, onWait: reportWait })
}

function requireCurrency({ currencies, organizationId }: Capabilities) {
  if (currencies.includes(currency)) return
  const command = `npm run -s crm -- organization set --organization ${organizationId}`
  throw new Error(`Enable ${currency} first: ${command} --currencies ${[...currencies, currency].join(',')}`)
}

/** Writes the companies, and the one contact that represents unknown customers. */
async function upsertCustomers(client: Client, companies: Company[]): Promise<string> {
  const progress = new Progress('Companies', companies.length)
  const outcomes = new Outcomes()
  await inParallel(companies, parallelRequests, async company => {
    outcomes.count((await upsertCustomer(client, 'companies', company)).outcome)
    progress.advance()
  })
  console.log(`Companies: ${outcomes.describe(['created', 'updated', 'unchanged'])}`)
  return upsertUnknownCustomer(client)
}

/** The same with an import of the companies. */
async function importCustomers(client: Client, companies: Company[]): Promise<string> {
  console.log(`Companies: ${await importCompanies(client, companies)}`)
  return upsertUnknownCustomer(client)
}

async function upsertUnknownCustomer(client: Client): Promise<string> {
  const { id, outcome } = await upsertCustomer(client, 'contacts', unknownCustomer)
  console.log(`Contact "${unknownCustomer.lastName}": ${outcome}`)
  return id
}

/** The ids of all companies by key: rows of links contain ids. */
async function readCompanyIds(client: Client, limit: number): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const page = await client.get(`/companies?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    for (const company of listOf(page, 'data')) ids.set(textOrBlank(company, 'externalId'), textOf(company, 'id'))
    cursor = textOrBlank(page.meta, 'nextCursor')
    if (cursor === '') return ids
  }
}

async function upsertAll(context: DealContext, opportunities: Opportunity[], batchItems: number) {
  const progress = new Progress('Deals', opportunities.length)
  const outcomes = new Outcomes()
  const deals: Deal[] = []
  await inParallel(chunksOf(opportunities, batchItems), parallelBatches, async chunk => {
    for (const { deal, outcome } of await upsertDeals(context, chunk)) {
      deals.push(deal)
      outcomes.count(outcome)
    }
    progress.advance(chunk.length)
  })
  return { deals, outcomes }
}

async function moveAll(context: DealContext, deals: Deal[], outcomes: Outcomes, writesPerMinute: number) {
  const misplaced = deals.filter(deal => !isInItsStage(context, deal))
  const minutes = Math.floor(misplaced.length / writesPerMinute)
  if (minutes > 0) console.log(`${formatCount(writesPerMinute)} writes a minute: the moves take ${minutes} minutes`)

  const progress = new Progress('Moves', misplaced.length)
  await inParallel(misplaced, parallelRequests, async deal => {
    if (await moveDeal(context, deal)) outcomes.count('moved')
    progress.advance()
  })
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { via: { type: 'string', default: 'requests' } },
})
const [folder = sampleFolder] = positionals
if (!['requests', 'import'].includes(values.via)) {
  console.error('Usage: npm run example:sales-pipeline -- [folder with the four CSV files] [--via import]')
  exit(2)
}
try {
  await main(folder, values.via === 'import')
} catch (error) {
  console.error(`\n${describeError(error)}`)
  // Requests that are still being retried would keep the process alive.
  exit(1)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause ? `${error.message}: ${describeError(error.cause)}` : error.message
}
