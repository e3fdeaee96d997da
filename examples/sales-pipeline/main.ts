import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Crm } from 'crm-sdk'
import { type Company, readAccounts } from './accounts.ts'
import { readAgents } from './agents.ts'
import { moveDeals, removeUnknownCustomer, unknownCustomer, writeDeals } from './deals.ts'
import { demoToken, ensureDirectories } from './directories.ts'
import { importCompanies, importDealCompanies } from './imports.ts'
import { readOpportunities, readProducts } from './opportunities.ts'
import { describeTotals, totalsOfCrm, totalsOfFile } from './totals.ts'

/** Four small files with fictitious sales, for a first run. */
const sampleFolder = fileURLToPath(new URL('sample', import.meta.url))

async function main(folder: string, viaImport: boolean) {
  // All files are read before anything is written, so an invalid row leaves the CRM unchanged.
  const { agents, companies, opportunities } = await readFolder(folder)
  const crm = await connect()
  const directories = await ensureDirectories(crm, agents)
  console.log(`Companies: ${await (viaImport ? importCompanies : upsertCompanies)(crm, companies)}`)
  const { id: unknownCustomerId } = await crm.contacts.upsert(unknownCustomer, { overwrite: true })

  const written = await writeDeals(crm, directories, opportunities)
  await removeUnknownCustomer(crm, unknownCustomerId, written)
  if (viaImport) console.log(`Links of deals: ${await importDealCompanies(crm, written)}`)
  await moveDeals(crm, directories, written)

  const expected = describeTotals(totalsOfFile(opportunities)).join('\n')
  const actual = describeTotals(await totalsOfCrm(crm.deals.list({ limit: 100 }), directories)).join('\n')
  console.log(`\nThe pipeline in the CRM:\n${actual}`)
  if (actual !== expected) throw new Error(`The totals do not match the file, which has:\n${expected}`)
}

async function readFolder(folder: string) {
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

async function connect(): Promise<Crm> {
  return new Crm({
    url: env.CRM_URL || 'http://127.0.0.1:3000',
    token: env.CRM_TOKEN || (await demoToken()),
    // A restart of the server takes less than five minutes.
    deadline: 300_000,
    attempts: 100,
    log({ operation, code, retryIn }) {
      if (retryIn !== null && retryIn >= 2000)
        console.log(`${operation}: ${code}, again in ${Math.ceil(retryIn / 1000)} s`)
    },
  })
}

/** Companies have no batches, so each is a request. */
async function upsertCompanies(crm: Crm, companies: readonly Company[]): Promise<string> {
  let created = 0
  for (const company of companies) {
    const { response } = await crm.companies.upsert(company, { overwrite: true }).withResponse()
    if (response.status === 201) created += 1
  }
  return `${created} created, ${companies.length - created} there already`
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
  console.error(`\n${error instanceof Error ? error.message : error}`)
  exit(1)
}
