import { expect, test } from 'vitest'
import { aContact, aDeal } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()
const wide = { viewport: { width: 1600, height: 900 } }

/** An organization with three contacts, the newest first in the list. */
async function threeContacts() {
  const organization = await given.organization()
  const ids: string[] = []
  for (const firstName of ['Anna', 'Boris', 'Clara']) {
    const { data } = await organization.client.post('/contacts', aContact({ firstName, lastName: 'Petrova' }))
    ids.push(String(data.id))
  }
  return { organization, ids }
}

test('with the keyboard alone, records are read one after the other beside the list, kept by the address and closed', async () => {
  const { organization, ids } = await threeContacts()
  const { page, open, expectClean, close } = await given.person(organization, wide)
  const { keyboard } = page
  const panel = (name: string) => page.getByRole('region', { name })
  await open('/contacts?sort=createdAt')
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  await page.getByRole('grid').focus()
  await keyboard.press('Enter')
  await panel('Petrova Anna').getByRole('heading', { name: 'Details' }).waitFor()
  await panel('Petrova Anna').getByText('created this').waitFor()
  await expectClean()
  await keyboard.press('j')
  await keyboard.press('j')
  await panel('Petrova Clara').getByRole('heading', { name: 'Details' }).waitFor()
  await keyboard.press('k')
  await panel('Petrova Boris').getByRole('heading', { name: 'Details' }).waitFor()
  expect(await page.locator('tr[aria-current]').innerText()).toContain('Petrova Boris')
  expect(new URL(page.url()).search).toBe(`?sort=createdAt&open=${ids[1]}`)

  await page.reload()
  await panel('Petrova Boris').getByRole('heading', { name: 'Details' }).waitFor()
  // Also where the list has not the focus.
  await keyboard.press('j')
  await panel('Petrova Clara').getByRole('heading', { name: 'Details' }).waitFor()
  await keyboard.press('e')
  await page.getByRole('dialog', { name: 'Edit Petrova Clara' }).waitFor()
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await keyboard.press('Escape')
  await panel('Petrova Clara').waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?sort=createdAt')
  await close()
})

test('the panel keeps what is selected, leads to the page of the record, and closes when the record is deleted', async () => {
  const { organization, ids } = await threeContacts()
  const { page, open, problems, close } = await given.person(organization, wide)
  await open('/contacts?sort=createdAt')
  await page.getByRole('checkbox', { name: 'Select Petrova Anna' }).click()
  await page.getByRole('link', { name: 'Petrova Boris' }).click()
  const panel = page.getByRole('region', { name: 'Petrova Boris' })
  await panel.getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByText('1 selected').waitFor()
  await panel.getByRole('button', { name: 'Previous row' }).click()
  await page.getByRole('region', { name: 'Petrova Anna' }).getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Deleted: Petrova Anna').waitFor()
  await page.getByRole('region', { name: 'Petrova Anna' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Petrova Clara' }).click()
  await page.getByRole('region', { name: 'Petrova Clara' }).getByRole('link', { name: 'Open as page' }).click()
  await page.getByRole('heading', { name: 'Petrova Clara', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/cabinet/o/${organization.id}/contacts/${ids[2]}`)
  expect(problems).toEqual([])
  await close()
})

test('a page that is too narrow for both opens the record on its own page', async () => {
  const { organization, ids } = await threeContacts()
  const { page, open, close } = await given.person(organization, { viewport: { width: 1280, height: 800 } })
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova Anna' }).click()
  await page.getByRole('heading', { name: 'Petrova Anna', level: 1 }).waitFor()
  await open(`/contacts?open=${ids[1]}`)
  await page.getByRole('heading', { name: 'Petrova Boris', level: 1 }).waitFor()
  await close()
})

test('the focus stays in the head of the panel from row to row, also at the last one and where a record is gone, and goes to the list at the end', async () => {
  const { organization } = await threeContacts()
  const { page, open, close } = await given.person(organization, wide)
  const { keyboard } = page
  await open('/contacts?sort=createdAt')
  await page.getByRole('link', { name: 'Petrova Anna' }).click()
  await page.getByRole('region', { name: 'Petrova Anna' }).getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByRole('button', { name: 'Next row' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('region', { name: 'Petrova Boris' }).getByRole('heading', { name: 'Details' }).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('region', { name: 'Petrova Clara' }).getByRole('heading', { name: 'Details' }).waitFor()
  expect(await page.getByRole('status').filter({ hasText: 'Petrova Clara' }).count()).toBe(1)
  await keyboard.press('Enter')
  await page.getByRole('status').getByText('There is no next row.').waitFor()
  expect(await page.locator('button:focus').getAttribute('aria-label')).toBe('Next row')

  await open(`/contacts?sort=createdAt&open=${organization.id}`)
  const gone = page.getByRole('region', { name: 'There is no such record' })
  await gone.getByRole('button', { name: 'Close' }).waitFor()
  await gone.getByRole('button', { name: 'Close' }).focus()
  await keyboard.press('Enter')
  await gone.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('grid').evaluate(grid => grid === grid.ownerDocument.activeElement)).toBe(true)
  await close()
})

test('the panel shows what is saved in a cell of its row', async () => {
  const { organization, ids } = await threeContacts()
  const { page, open, problems, close } = await given.person(organization, wide)
  await open(`/contacts?sort=createdAt&open=${ids[0]}`)
  const panel = page.getByRole('region', { name: 'Petrova Anna' })
  await panel.getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter', 'Control+A']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await page.keyboard.press('Enter')
  await panel.getByText('Director').first().waitFor()
  expect(problems).toEqual([])
  await close()
})

test('the row of a deal shows the stage to which it was moved beside the list, though the panel was closed meanwhile', async () => {
  const { organization, ids } = await threeContacts()
  const { data } = await organization.client.post('/deals', aDeal({ title: 'Lamps', contacts: [{ id: ids[0] }] }))
  const { page, open, close } = await given.person(organization, wide)
  // Nothing else tells the list of it.
  await page.route('**/live', route => route.abort('connectionrefused'))
  let answer = () => {}
  const answered = new Promise<void>(resolve => {
    answer = resolve
  })
  await page.route('**/move', async route => {
    await answered
    await route.continue()
  })
  await open(`/deals?open=${String(data.id)}`)
  const panel = page.getByRole('region', { name: 'Lamps' })
  await panel.getByRole('button', { name: 'New', exact: true }).click()
  const sent = page.waitForRequest('**/move')
  await page.getByRole('menuitem', { name: 'Talks' }).click()
  await sent
  await panel.getByRole('button', { name: 'Close' }).click()
  await panel.waitFor({ state: 'detached' })
  answer()
  await page.getByRole('row', { name: 'Lamps' }).getByText('Talks').waitFor()
  await close()
})
