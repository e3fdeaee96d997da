import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildReference } from '../../scripts/build-reference.ts'
import { createHttpServer } from '../../server/src/entrypoints/http/index.ts'
import { describeApi } from '../../server/src/entrypoints/http/reference/describe-api.ts'
import { addReferenceRoutes } from '../../server/src/entrypoints/http/reference/reference-routes.ts'
import { Secret } from '../../server/src/kernel/index.ts'
import { Database } from '../../server/src/kernel/sql/index.ts'
import { operations } from '../../server/src/modules.ts'
import { createServices } from '../../server/src/start/create-services.ts'
import { nodeAt } from '../golden/document.ts'

let directory: string
let server: FastifyInstance
let address: string
let browser: Browser

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-reference-'))
  await buildReference(directory)
  server = startable()
  const built = pathToFileURL(`${directory}/`)
  addReferenceRoutes(server, describeApi(), built)
  address = await server.listen({ host: '127.0.0.1', port: 0 })
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  await rm(directory, { recursive: true, force: true })
})

test('the reference lists every operation, without an error and without asking other hosts', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  const errors: string[] = []
  const hosts = new Set<string>()
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  page.on('pageerror', error => errors.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
  })

  await page.goto(`${address}/reference`)
  const sidebar = page.getByRole('complementary').first()
  await sidebar.getByText('List contacts', { exact: true }).waitFor()
  const groups = new Set(operations.map(({ id }) => id.replace(/\..*$/u, '')))
  while (groups.size > 1 && (await sidebar.getByRole('button', { name: /^Open Group/u }).count()) > 0) {
    await sidebar
      .getByRole('button', { name: /^Open Group/u })
      .first()
      .click()
  }
  for (const { summary } of operations) {
    expect(await sidebar.getByText(summary, { exact: true }).count(), summary).toBeGreaterThan(0)
  }

  // Far down, where the page fills itself in while it is read.
  await sidebar.getByText('Create a contact', { exact: true }).click()
  await page.getByText('crm_contacts_write').first().waitFor()
  // Whatever it would ask of other hosts, or find wrong, it does by now.
  await page.waitForTimeout(1000)
  expect(errors).toEqual([])
  expect([...hosts]).toEqual([address])
})

test('the page has an origin of its own, so its library cannot act for a user of the cabinet', async () => {
  const page = await browser.newPage()
  await page.goto(`${address}/reference`)
  expect(await page.evaluate('origin')).toBe('null')
  await expect(page.evaluate('document.cookie')).rejects.toThrow('sandboxed')
})

test('a request can be tried from the page, with a key of its own', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  await page.goto(`${address}/reference#tag/contacts/POST/api/v1/crm/contacts`)
  const sent = page.waitForRequest(request => request.method() === 'POST')
  await page
    .getByRole('button', { name: /Test Request.*post/iu })
    .first()
    .click()
  await page.getByRole('button', { name: /^Send/u }).first().click()
  const request = await sent
  const key = (await request.allHeaders())['idempotency-key']
  expect(key).toMatch(/^[0-9a-f]{32}$/u)
  expect((await request.response())?.status()).toBe(401)
})

test('the link of an error code leads to the table of all codes', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  await page.goto(new URL(errorsAddress(), `${address}/`).href)
  const heading = page.getByRole('heading', { name: 'Errors', exact: true })
  const top = async () => (await heading.boundingBox())?.y
  await expect.poll(top, { timeout: 20_000 }).toBeLessThan(1000)
  expect(await top()).toBeGreaterThan(-100)
})

/** Where the document says that the codes stand. */
function errorsAddress(): string {
  return String(nodeAt(describeApi(), '/components/schemas/NotFoundFailure/externalDocs').url)
}

/** The server with a database that is not there: the pages need none. */
function startable(): FastifyInstance {
  const database = new Database({ location: { url: 'postgres://127.0.0.1:1/none' }, connections: 1 })
  const services = createServices({
    config: { redisUrl: undefined, dataDirectory: join(tmpdir(), 'crm-test-nothing') },
    database,
    secret: new Secret('a secret of this test'),
    onFailure: () => {},
  })
  return createHttpServer({ services, operations, trustedProxies: [] })
}
