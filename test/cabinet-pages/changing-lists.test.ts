import { expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** Contacts with these last names, in the order in which the list shows them. */
async function contacts(names: readonly string[]) {
  const organization = await given.organization()
  const ids = new Map<string, string>()
  for (const lastName of names.toReversed()) {
    const { data } = await organization.client.post('/contacts', aContact({ firstName: 'A', lastName }))
    ids.set(lastName, String(data.id))
  }
  return { organization, idOf: (name: string) => ids.get(name) ?? '' }
}

test('the search field follows the address, on the way back and to all records', async () => {
  const { organization } = await contacts(['Petrova', 'Kowalska'])
  const { page, open } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova A' }).waitFor()
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('Kowalska')
  await page.waitForURL(/search=Kowalska/u)
  await page.getByRole('link', { name: 'Petrova A' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByRole('link', { name: 'Petrova A' }).waitFor()
  expect(await search.inputValue()).toBe('')
  await page.goBack()
  await page.getByRole('link', { name: 'Petrova A' }).waitFor({ state: 'detached' })
  expect(await search.inputValue()).toBe('Kowalska')
})

test('of all records of a filter, one that is unticked is left out', async () => {
  const { organization } = await contacts(['Petrova', 'Kowalska', 'Silva'])
  const { page, open } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('checkbox', { name: 'Select Petrova A' }).click()
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByRole('button', { name: 'Select all of this filter' }).click()
  await bar.getByText('3 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select Kowalska A' }).click()
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Owner' }).click()
  const sent = page.waitForRequest(request => request.url().endsWith('/crm/bulk-jobs'))
  await page.getByRole('menuitem').first().click()
  expect((await sent).postDataJSON().targets).toHaveLength(2)
})

test('an editor stays with its record when a row above it is deleted', async () => {
  const { organization, idOf } = await contacts(['Petrova', 'Kowalska', 'Silva'])
  const { page, open } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova A' }).waitFor()
  await page.getByText('Live').waitFor()
  await page.getByRole('grid').focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await organization.client.delete(`/contacts/${idOf('Petrova')}?expectedVersion=1`)
  await page.getByRole('link', { name: 'Petrova A' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByText('Saved: Kowalska A').waitFor()
  const { data } = await organization.client.get(`/contacts/${idOf('Kowalska')}`)
  expect(data.jobTitle).toBe('Director')
})

test('a row that has changed out of sight is read again when it comes into sight', async () => {
  const names = Array.from({ length: 90 }, (_, index) => `P${String(index).padStart(2, '0')}`)
  const { organization, idOf } = await contacts(names)
  const { page, open, problems } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'P00 A' }).waitFor()
  await page.getByText('Live').waitFor()
  await organization.client.patch(`/contacts/${idOf('P89')}`, { expectedVersion: 1, jobTitle: 'Director' })
  // Both changes travel in one order: when the second is shown, the first is known.
  await organization.client.patch(`/contacts/${idOf('P00')}`, { expectedVersion: 1, jobTitle: 'Buyer' })
  await page.getByText('Buyer').waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+End')
  await page.getByRole('row', { name: 'P89 A' }).getByText('Director').waitFor()
  expect(problems).toEqual([])
})

test('many rows in sight that change at once are read again in a few requests, and new ones do not push them', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `P${String(index).padStart(2, '0')}`)
  const organization = await given.organization()
  // One commit, so that the stream tells of all of them at once.
  const upsert = async (items: readonly object[]) => {
    const { meta } = await organization.client.post('/contacts/batch/upsert?overwrite=true', { items })
    expect(meta.failed).toBe(0)
  }
  const named = (lastName: string) => ({ externalId: `contact-${lastName}`, firstName: 'A', lastName })
  await upsert(names.toReversed().map(named))
  const { page, open, problems } = await given.person(organization, { viewport: { width: 1280, height: 1600 } })
  await open('/contacts')
  await page.getByRole('link', { name: 'P39 A' }).waitFor()
  await page.getByText('Live').waitFor()
  const reads: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.includes('/crm/contacts')) reads.push(pathname)
  })
  await upsert(names.slice(0, 40).map(name => ({ ...named(name), jobTitle: `Buyer ${name}` })))
  for (const name of ['P00', 'P20', 'P39']) await page.getByText(`Buyer ${name}`).waitFor()
  await organization.client.post('/contacts', aContact({ firstName: 'A', lastName: 'New' }))
  await page.getByRole('button', { name: '1 new, show them' }).waitFor()
  expect(await page.getByRole('grid').innerText()).not.toContain('New A')
  expect(reads.length).toBeLessThan(10)
  expect(problems).toEqual([])
})

test('a cell that is edited is saved when another cell is pressed, which is not edited then', async () => {
  const { organization, idOf } = await contacts(['Petrova', 'Kowalska'])
  const { page, open, problems } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova A' }).waitFor()
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await page.getByRole('row', { name: 'Kowalska A' }).getByRole('gridcell').nth(2).click()
  await page.getByText('Saved: Petrova A').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.keyboard.type(' of sales')
  await page.getByRole('row', { name: 'Petrova A' }).getByRole('gridcell').nth(3).click()
  await page.getByText('Director of sales').waitFor()
  expect(await page.getByRole('grid').getByRole('textbox').count()).toBe(0)
  await expect
    .poll(async () => (await organization.client.get(`/contacts/${idOf('Petrova')}`)).data.jobTitle)
    .toBe('Director of sales')
  expect(problems).toEqual([])
})

test('a cell that is edited keeps what is typed when its row is scrolled out of sight and back', async () => {
  const names = Array.from({ length: 90 }, (_, index) => `P${String(index).padStart(2, '0')}`)
  const { organization } = await contacts(names)
  const { page, open, problems } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'P00 A' }).waitFor()
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await page.getByRole('link', { name: 'P05 A' }).hover()
  await page.mouse.wheel(0, 5_000)
  await page.getByRole('link', { name: 'P89 A' }).waitFor()
  await page.mouse.wheel(0, -5_000)
  await page.getByRole('link', { name: 'P05 A' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Saved: P00 A').waitFor()
  expect(problems).toEqual([])
})
