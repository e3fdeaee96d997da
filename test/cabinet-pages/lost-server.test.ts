import { expect, test } from 'vitest'
import { holdContact } from '../process/support/hold.ts'
import { anApplication, environmentOf } from '../process/support/installations.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-ports.ts'
import { testPassword } from '../support/people.ts'
import { useProcesses } from '../support/process.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { openTab } from './support/tabs.ts'

const given = useCabinetInChromium()
const processes = useProcesses()

test('a form whose answer was lost with the server is saved when it is back, once', async () => {
  const organization = await given.organization()
  const { page, open, problems } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.keyboard.press('c')
  await page.getByLabel('First name').fill('Nina')
  await page.getByLabel('Last name').fill('Kowalska')

  const keys: (string | undefined)[] = []
  let isAway = true
  await page.route('**/crm/contacts', async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    // The first request is executed, and its answer gets lost; then the server is away for a while.
    if (keys.length === 1) await route.fetch()
    return isAway ? route.abort('connectionrefused') : route.fallback()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The server does not answer. This is saved as soon as it does.').waitFor()
  expect(await page.getByLabel('Last name').inputValue()).toBe('Kowalska')
  await expect.poll(() => keys.length).toBeGreaterThan(1)
  isAway = false

  await page.getByRole('heading', { name: 'Kowalska Nina', level: 1 }).waitFor()
  expect(new Set(keys).size).toBe(1)
  const { items } = await organization.client.get('/contacts')
  expect(items.map(({ displayName }) => displayName)).toEqual(['Kowalska Nina'])
  expect(problems).toEqual([])
})

test('a form whose server is killed while it saves is saved when the server is back, once', async () => {
  const { database, ...place } = await createTestDatabase(3)
  const { organizationId, token } = await anApplication(database)
  const environment = { ...(await environmentOf(processes, { database, ...place })), PORT: String(await freePort()) }
  const server = await processes.serve(environment)
  const client = new Client(server.url, token)
  const { data } = await client.post('/contacts', aContact({ lastName: 'Kowalska', jobTitle: 'Buyer' }))
  const user = ['--email', 'una.berg@example.com', '--name', 'Una Berg', '--organization', organizationId]
  const { out } = await processes.run(['user', 'create', ...user, '--role', 'owner'], environment)
  const { page, close } = await openTab(server.url)
  await page.goto(/^http\S+/mu.exec(out)?.[0] ?? 'no link')
  await page.getByLabel('New password').fill(testPassword)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('link', { name: 'Kowalska' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Job title').fill('Purchasing lead')
  const keys: (string | undefined)[] = []
  page.on('request', request => {
    if (request.method() === 'PATCH') keys.push(request.headers()['idempotency-key'])
  })

  const held = await holdContact(database, data.id)
  await page.getByRole('button', { name: 'Save' }).click()
  await held.waiting()
  await server.end('SIGKILL')
  await page.getByText('The server does not answer. This is saved as soon as it does.').waitFor()
  // The database goes on with what the server had sent, though nobody waits for it any more.
  await held.letGo()
  await processes.serve(environment)
  await page.getByText('Saved: ').waitFor()
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  expect((await client.get(`/contacts/${String(data.id)}`)).data).toMatchObject({
    jobTitle: 'Purchasing lead',
    version: 2,
  })
  await close()
})

/** A form with a name in it that was sent, and whose answer was lost with the server. */
async function aFormWithoutAnswer() {
  const organization = await given.organization()
  const { page, open } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.keyboard.press('c')
  await page.getByLabel('Last name').fill('Kowalska')
  await page.route('**/crm/contacts', async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The server does not answer.').waitFor()
  return {
    page,
    async expectToSaveOnce() {
      await page.unrouteAll()
      await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Kowalska', level: 1 }).waitFor()
      expect((await organization.client.get('/contacts')).items).toHaveLength(1)
    },
  }
}

test('a form that is left while the server is away is kept, and is saved once when it is opened again', async () => {
  const { page, expectToSaveOnce } = await aFormWithoutAnswer()
  await page.getByLabel('Last name').press('Escape')
  await page.getByText('Kept as a draft, not saved.').first().waitFor()
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await expectToSaveOnce()
})

test('what was typed while the server was away is still there after a reload, and is saved once', async () => {
  const { page, expectToSaveOnce } = await aFormWithoutAnswer()
  await page.reload()
  await expectToSaveOnce()
})

test('a part of the pages that cannot be loaded says so, leaves the others alone, and is loaded when asked for again', async () => {
  const organization = await given.organization()
  await organization.client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const { page, open } = await given.person(organization)
  await open('/contacts')
  const row = page.getByRole('link', { name: 'Petrova Anna' })
  await row.waitFor()
  await page.route('**/*.js', route => route.abort('internetdisconnected'))
  await page.keyboard.press('c')
  const alert = page.getByRole('alert')
  await alert.getByText('The server cannot be reached.').waitFor()
  await alert.getByRole('button', { name: 'Close' }).click()
  await alert.waitFor({ state: 'detached' })
  // The list goes on, also in its address.
  await page.getByRole('searchbox', { name: 'Search' }).fill('Petrova')
  await page.waitForURL(/search=Petrova/u)
  await row.waitFor()
  await page.getByRole('button', { name: 'New contact' }).click()
  await page.unrouteAll()
  await alert.getByRole('button', { name: 'Again' }).click()
  await page.getByRole('dialog', { name: 'New contact' }).waitFor()
})

test('a page whose code cannot be loaded says so inside of its frame, is tried again, and asks to reload for a new version', async () => {
  const organization = await given.organization()
  await organization.client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const { page, open, expectClean } = await given.person(organization)
  await open('/contacts')
  const row = page.getByRole('link', { name: 'Petrova Anna' })
  await row.waitFor()
  await page.route('**/assets/*', route => route.abort('internetdisconnected'))
  await row.click()
  const failed = page.getByRole('main').getByRole('alert')
  await failed.getByText('The server cannot be reached.').waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click()
  await row.click()
  await failed.waitFor()
  await page.unrouteAll()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Petrova Anna', level: 1 }).waitFor()
  // The style sheet came with it.
  const gap = "getComputedStyle(document.querySelector('.back-link')).columnGap"
  expect(await page.evaluate(gap)).toBe('2px')

  await page.route('**/assets/*.js', route => route.fulfill({ status: 404 }))
  await page.route('**/cabinet/', route =>
    route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/cabinet/assets/other.js"></script>' }),
  )
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Your account' }).click()
  await failed.getByText('Reload for the new version.').waitFor()
  await expectClean()
  await page.unrouteAll()
  await failed.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor()
})
