import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { root } from '../documentation/markdown.ts'
import { type RunningServer, startServer } from '../documentation/server.ts'
import { Client } from '../support/client.ts'

const languages = ['java', 'python', 'hey-api', 'typescript', 'go']

let server: RunningServer
let client: Client
let folder: string
let builds: ReadonlyMap<string, Promise<string>>

beforeAll(async () => {
  server = await startServer(join(root, 'server/dist/main.js'))
  client = new Client(server.url, (await readFile(join(server.dataDirectory, 'demo-token'), 'utf8')).trim())
  folder = await mkdtemp(join(tmpdir(), 'crm-clients-'))
  await cp(join(root, 'examples/clients'), folder, { recursive: true })
  const document = await fetch(`${server.url}/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
  // Registries are waited for together; each language takes its failure to its own test.
  builds = new Map(languages.map(language => [language, shell('build.sh', language)]))
  for (const build of builds.values()) build.catch(() => undefined)
})

afterAll(async () => {
  await Promise.allSettled(builds.values())
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test.each(languages)('a client in %s is generated, compiled, and synchronises', async language => {
  await builds.get(language)
  const company = await client.post('/companies', { externalId: `erp-${language}`, name: 'Northwind' })
  expect(company.status).toBe(201)

  const said = `${await countContacts()} contacts, company at version 2, deal won:`
  expect(await shell('run.sh', language)).toBe(`${said} company.updated deal.created deal.moved\n`)
  // The second time there is nothing left to do but a deal that is new each time.
  expect(await shell('run.sh', language)).toBe(`${said} deal.created deal.moved\n`)

  const { data } = await client.get(`/companies/${company.data.id}`)
  expect(data).toMatchObject({ version: 2, name: 'Northwind', industry: 'Furniture' })
  const [deal] = (await client.get('/deals?limit=1')).items
  expect(deal).toMatchObject({ status: 'won', companyIds: [data.id] })
  await expectAgent(`erp-${language}`)
})

/** Expects one agent of this name, which has one set with one product, and one knowledge base with one file that is read. */
async function expectAgent(name: string): Promise<void> {
  const [agents, sets, bases] = await Promise.all(['agents', 'products-sets', 'knowledge-bases'].map(named(name)))
  expect(agents).toMatchObject([{ productSetIds: [sets?.[0]?.id], knowledgeBaseIds: [bases?.[0]?.id] }])
  expect(sets).toMatchObject([{ productsCount: 1 }])
  expect(bases).toMatchObject([{ filesCount: 1 }])
  const { data: page } = await client.get(`${external}/products-sets/${sets?.[0]?.id}/products`)
  expect(page).toMatchObject({ total: 1, items: [{ id: 'oak-chair', name: 'Oak chair', price: '149.00' }] })
  const readFiles = async () => (await client.get(`${external}/knowledge-bases/${bases?.[0]?.id}/files`)).items
  const file = { id: 'returns', name: 'returns.txt', sizeBytes: 38, status: 'ready' }
  await expect.poll(readFiles, { timeout: 60_000 }).toMatchObject([file])
}

const external = '/api/v1/ai-agents/external'

/** Those of a collection that have the name. */
function named(name: string): (collection: string) => Promise<JsonObject[]> {
  return async collection => (await client.get(`${external}/${collection}`)).items.filter(item => item.name === name)
}

/** Runs a script of an example; what it printed, or all that it said where it fails. */
async function shell(script: string, language: string): Promise<string> {
  const environment = { ...process.env, CRM_BASE_URL: server.url, CRM_TOKEN: client.token }
  const options = { cwd: join(folder, language), env: environment, maxBuffer: 2 ** 26 }
  const run = promisify(execFile)('sh', ['-e', script], options)
  const { stdout } = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${language}/${script} failed:\n${stdout}\n${stderr}`)
  })
  return stdout
}

async function countContacts(): Promise<number> {
  let count = 0
  let cursor: unknown
  do {
    const page = await client.get(`/contacts?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    count += page.items.length
    cursor = page.meta.nextCursor ?? undefined
  } while (cursor !== undefined)
  return count
}
