import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildReference } from '../../scripts/build-reference.ts'
import { createServices } from '../../server/src/create-services.ts'
import { Secret } from '../../server/src/kernel/index.ts'
import { openApiDocument } from '../../server/src/kernel/openapi/index.ts'
import { Database } from '../../server/src/kernel/sql/index.ts'
import { nestedResources, operations, resources } from '../../server/src/modules.ts'
import { createHttpServer } from '../../server/src/shells/http/index.ts'
import { addReferenceRoutes } from '../../server/src/shells/http/reference/reference-routes.ts'

let directory: string
let server: FastifyInstance
let address: string
let browser: Browser

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-reference-'))
  await buildReference(directory)
  server = startable()
  const built = pathToFileURL(`${directory}/`)
  addReferenceRoutes(
    server,
    openApiDocument({ operations, resources: [...resources, ...nestedResources], version: '1.0.0' }),
    built,
  )
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
    // It warns of forms of OpenAPI 3.1 that it has no name for, which it shows all the same.
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', error => errors.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
  })

  await page.goto(`${address}/reference`)
  const sidebar = page.getByRole('navigation', { name: /^Sidebar/u })
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

test('a request can be tried from the page, with the key that it shows, and again with the same', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  await page.goto(`${address}/reference#tag/contacts/POST/api/v1/crm/contacts`)
  await page
    .getByRole('button', { name: /Test Request.*post/iu })
    .first()
    .click()
  const sent = page.waitForRequest(request => request.method() === 'POST')
  await page.getByRole('button', { name: /^Send/u }).first().click()
  const request = await sent
  const key = (await request.allHeaders())['idempotency-key']
  expect(key).toMatch(/^[0-9a-f]{32}$/u)
  await page.getByText(String(key)).filter({ visible: true }).first().waitFor()
  expect((await request.response())?.status()).toBe(401)
  await page
    .getByText(/A-1042-[0-9a-f]{6}/u)
    .filter({ visible: true })
    .first()
    .waitFor()

  const repeated = page.waitForRequest(each => each.method() === 'POST')
  await page.getByRole('button', { name: /^Send/u }).first().click()
  expect((await (await repeated).allHeaders())['idempotency-key']).toBe(key)
  await page.close()
})

test('the token stays while the tab is open, and nowhere else', async () => {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } })
  const page = await context.newPage()
  const send = async () => {
    await page.goto(`${address}/reference?${randomUUID()}#tag/contacts/GET/api/v1/crm/contacts`)
    await page
      .getByRole('button', { name: /Test Request.*get/iu })
      .first()
      .click()
    const sent = page.waitForRequest(request => /contacts(\?|$)/u.test(request.url()))
    await page.getByRole('button', { name: /^Send/u }).first().click()
    return (await (await sent).allHeaders())['authorization']
  }
  await page.goto(`${address}/reference`)
  await page.locator('input[placeholder=Token]:visible').first().fill('crm_test_of_this_tab')
  await page
    .getByRole('button', { name: /Test Request.*get/iu })
    .first()
    .click()
  await page.getByRole('button', { name: /^Send/u }).first().click()
  await page.waitForFunction('sessionStorage.length > 0')
  expect(await send()).toBe('Bearer crm_test_of_this_tab')
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('of_this_tab')
  await context.close()
})

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
