import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

  const changes = 'company.updated deal.created deal.moved'
  const said = `${await countContacts()} contacts, company at version 2, deal won: ${changes}\n`
  expect(await shell('run.sh', language)).toBe(said)

  const { data } = await client.get(`/companies/${company.data.id}`)
  expect(data).toMatchObject({ version: 2, name: 'Northwind', industry: 'Furniture' })
  const [deal] = (await client.get('/deals?limit=1')).items
  expect(deal).toMatchObject({ status: 'won', companyIds: [data.id] })
})

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
