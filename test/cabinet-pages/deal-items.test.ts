import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aDeal } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** An organization with a deal in euros. */
async function aDealOf() {
  const organization = await given.organization()
  const { client } = organization
  const company = await client.post('/companies', aCompany())
  const deal = await client.post(
    '/deals',
    aDeal({ companies: [{ id: company.data.id }], currency: 'EUR', amount: '1' }),
  )
  return { organization, client, id: String(deal.data.id) }
}

test('with the keyboard alone, a person adds lines to a deal, corrects one, moves it and takes it away and back', async () => {
  const { organization, client, id } = await aDealOf()
  const { page, open, expectClean, close } = await given.person(organization)
  const { keyboard } = page
  const items = async () => (await client.get(`/deals/${id}/items`)).items
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).focus()
  await keyboard.press('Enter')
  await page.getByText('No items yet.').waitFor()
  for (const [name, price] of [
    ['Shelf', '100'],
    ['Delivery', '49.50'],
  ] as const) {
    await page.getByRole('button', { name: 'New item' }).focus()
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New item' }).waitFor()
    await keyboard.press('Enter')
    await page.getByText('This is needed.').first().waitFor()
    await page.getByLabel('Name').focus()
    await keyboard.type(name)
    await page.getByLabel('Price').focus()
    await keyboard.type(price)
    await expectClean()
    await keyboard.press('Enter')
    await page.getByRole('button', { name, exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Shelf', exact: true }).focus()
  await keyboard.press('Enter')
  await page.getByLabel('Quantity').focus()
  await keyboard.press('Control+A')
  await keyboard.type('2.5')
  await keyboard.press('Enter')
  await page.getByRole('cell', { name: '250.00 EUR' }).waitFor()
  const table = page.getByRole('table', { name: 'Items' })
  await expect.poll(() => table.getByRole('row', { name: 'Items total' }).innerText()).toContain('299.50 EUR')
  await expectClean()

  await page.getByRole('button', { name: 'Shelf', exact: true }).focus()
  await keyboard.press('Alt+ArrowDown')
  await page.getByText('Shelf is now 2 of 2').waitFor()
  expect((await items()).map(({ name }) => name)).toEqual(['Delivery', 'Shelf'])
  await page.getByRole('button', { name: 'More about Shelf' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  await page.getByText('Deleted: Shelf').waitFor()
  await expect.poll(async () => (await items()).length).toBe(1)
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Shelf', exact: true }).waitFor()
  expect(await items()).toMatchObject([{ name: 'Delivery' }, { name: 'Shelf', quantity: '2.5', position: 1 }])
  await close()
})

test('a line that others changed meanwhile is compared with theirs, and nothing of it is lost', async () => {
  const { organization, client, id } = await aDealOf()
  const { data } = await client.post(`/deals/${id}/items`, { name: 'Shelf', quantity: '1', price: '100' })
  const { page, open, expectClean, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  await page.getByRole('button', { name: 'Shelf', exact: true }).click()
  await page.getByLabel('Price').fill('90')
  await client.patch(`/deals/${id}/items/${data.id}`, { expectedVersion: 1, price: '80', unit: 'piece' })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Not saved' })
  await dialog.waitFor()
  expect(await dialog.getByRole('row', { name: 'Price' }).innerText()).toMatch(/100\s+80\s+90/u)
  await expectClean()
  await dialog.getByRole('radiogroup').getByText('Mine').click()
  await dialog.getByRole('button', { name: /^Save as/u }).click()
  await page.getByRole('cell', { name: '90.00 EUR' }).first().waitFor()
  const { items } = await client.get(`/deals/${id}/items`)
  expect(items).toMatchObject([{ price: '90.00', unit: 'piece', version: 3 }])
  await close()
})

test('what the server does not take is said at the field, and what was typed stays', async () => {
  const { organization, id } = await aDealOf()
  const { page, open, expectClean, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  await page.getByRole('button', { name: 'New item' }).click()
  await page.getByLabel('Name').fill('Shelf')
  await page.getByLabel('Price').fill('ten')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.getByLabel('Price').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('Price').inputValue()).toBe('ten')
  await expectClean()
  await close()
})

test('a line that is being saved neither changes nor closes, and is saved once when its answer was lost', async () => {
  const { organization, client, id } = await aDealOf()
  const { page, open, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  await page.getByRole('button', { name: 'New item' }).click()
  let answer = () => {}
  const answered = new Promise<void>(resolve => {
    answer = resolve
  })
  let isFirst = true
  await page.route('**/items', async route => {
    if (route.request().method() !== 'POST' || !isFirst) return route.fallback()
    isFirst = false
    await answered
    await route.fetch()
    return route.abort('connectionreset')
  })
  const dialog = page.getByRole('dialog', { name: 'New item' })
  await page.getByLabel('Name').fill('Shelf')
  await page.getByLabel('Price').fill('10')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Price').getAttribute('readonly')).not.toBe(null)
  await page.getByLabel('Price').focus()
  await page.keyboard.type('99')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  answer()
  await dialog.getByText('What you typed is still here.').waitFor()
  expect(await page.getByLabel('Price').inputValue()).toBe('10')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await client.get(`/deals/${id}/items`)).items).toMatchObject([{ name: 'Shelf', price: '10.00' }])
  await close()
})

test('a line that is moved twice at once moves by two places', async () => {
  const { organization, client, id } = await aDealOf()
  for (const name of ['Shelf', 'Delivery', 'Light'])
    await client.post(`/deals/${id}/items`, { name, quantity: '1', price: '1' })
  const { page, open, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  await page.getByRole('button', { name: 'Shelf', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByText('Shelf is now 3 of 3').waitFor()
  const { items } = await client.get(`/deals/${id}/items`)
  expect(items.map(({ name }) => name)).toEqual(['Delivery', 'Light', 'Shelf'])
  await close()
})

test('a line that is taken away leaves the focus on its neighbour, and comes back whole when the first Undo has failed', async () => {
  const { organization, client, id } = await aDealOf()
  for (const name of ['Shelf', 'Delivery'])
    await client.post(`/deals/${id}/items`, { name, quantity: '1', price: '1', productId: `p-${name}` })
  const { page, open, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  await page.getByRole('button', { name: 'More about Shelf' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('Deleted: Shelf').waitFor()
  await page.locator('button:focus', { hasText: 'Delivery' }).waitFor()
  await page.route('**/items', async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    return route.abort('connectionreset')
  })
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo' })
  await undo.click()
  await page.getByText('The server cannot be reached.').waitFor()
  await page.unrouteAll()
  await undo.click()
  await undo.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Shelf', exact: true }).waitFor()
  const { items } = await client.get(`/deals/${id}/items`)
  expect(items).toMatchObject([{ name: 'Shelf', productId: 'p-Shelf' }, { name: 'Delivery' }])
  await close()
})

test('a line that is left half typed is there when it is opened again, and gone after Cancel', async () => {
  const { organization, id } = await aDealOf()
  const { page, open, close } = await given.person(organization)
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  const opener = page.getByRole('button', { name: 'New item' })
  await opener.click()
  await page.getByLabel('Name').fill('Shelf')
  await page.keyboard.press('Escape')
  await page.getByText('Kept as a draft, not saved.').waitFor()
  await page.reload()
  await page.getByRole('tab', { name: 'Items' }).click()
  await opener.click()
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Shelf')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await opener.click()
  expect(await page.getByLabel('Name').inputValue()).toBe('')
  await close()
})

const hideAmounts = statement('test_hide_items', 'update organizations set members_see_amounts = false where id = $1')

test.for([
  ['member', 'Hidden'],
  ['read_only', 'Shelf'],
] as const)('a %s who may not see or change amounts finds no way to change lines', async ([role, shown]) => {
  const { organization, client, id } = await aDealOf()
  await client.post(`/deals/${id}/items`, { name: 'Shelf', quantity: '1', price: '100' })
  if (role === 'member') await given.api().test.database.query(hideAmounts, [organization.id])
  const { page, open, expectClean, close } = await given.person(organization, { role })
  await open(`/deals/${id}`)
  await page.getByRole('tab', { name: 'Items' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Items' })
  await panel.getByText(shown).waitFor()
  await expectClean()
  expect(await panel.getByRole('button').allInnerTexts()).toEqual(role === 'member' ? ['Hidden'] : [])
  await close()
})
