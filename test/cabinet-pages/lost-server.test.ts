import { expect, test } from 'vitest'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

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

test('a form that is left while the server is away is kept, and is saved once when it is opened again', async () => {
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
  await page.getByLabel('Last name').press('Escape')
  await page.getByText('Kept as a draft, not saved.').first().waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Kowalska', level: 1 }).waitFor()
  expect((await organization.client.get('/contacts')).items).toHaveLength(1)
})

test('what was typed while the server was away is still there after a reload, and is saved once', async () => {
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
  await page.reload()
  await page.unrouteAll()
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Kowalska', level: 1 }).waitFor()
  expect((await organization.client.get('/contacts')).items).toHaveLength(1)
})
