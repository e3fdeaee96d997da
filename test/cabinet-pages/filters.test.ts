import { expect, test } from 'vitest'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import { type PersonAtPages, useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** Chooses a filter from the menu, and gives its dialog. */
async function filterBy({ page }: PersonAtPages, name: string) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Filter by ${name}` })
  await dialog.waitFor()
  return dialog
}

test('contacts are filtered by owner, tag, company, e-mail, phone and time, and each filter says what it keeps', async () => {
  const organization = await given.organization()
  const { client } = organization
  const person = await given.person(organization, { name: 'Hanna Berg' })
  const contact = await client.post(
    '/contacts',
    aContact({
      lastName: 'Kowalska',
      contactData: {
        emails: [{ value: 'nina@example.com', label: 'work' }],
        phones: [{ value: '+12025550147', label: 'work' }],
      },
    }),
  )
  const { id } = contact.data
  const company = await client.post('/companies', aCompany({ name: 'Harbour Mills' }))
  const links = { expectedVersion: 1, contacts: [{ id }] }
  expect((await client.put(`/companies/${String(company.data.id)}/contacts`, links)).status).toBe(200)
  const { version: expectedVersion } = (await client.get(`/contacts/${String(id)}`)).data
  const tagged = await client.put(`/contacts/${String(id)}/tags`, { expectedVersion, tags: [{ id: organization.tag }] })
  expect(tagged.status).toBe(200)
  await client.post('/contacts', aContact({ lastName: 'Petrova' }))
  const { page, open, expectClean, close } = person
  await open('/contacts')
  await page.getByRole('link', { name: /Kowalska/u }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: /Owner/u }).click()
  await page.getByRole('option', { name: 'Hanna Berg' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved:').waitFor()

  const rows = async () => (await page.getByRole('grid').getByRole('link').allInnerTexts()).join()
  const checkbox = async (filter: string, value: string) => {
    const dialog = await filterBy(person, filter)
    await dialog.getByText(value).click()
    return dialog
  }
  const field = async (filter: string, value: string) => {
    const dialog = await filterBy(person, filter)
    await dialog.getByLabel(filter).fill(value)
    return dialog
  }
  const record = async (filter: string, typed: string) => {
    const dialog = await filterBy(person, filter)
    await dialog.getByRole('combobox').fill(typed)
    await page.getByRole('option', { name: 'Harbour Mills' }).click()
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await dialog.getByText('Harbour Mills').waitFor()
    return dialog
  }
  for (const [name, shown, choose] of [
    ['Owner', 'Hanna Berg', () => checkbox('Owner', 'Hanna Berg')],
    ['Tags', 'Regular', () => checkbox('Tags', 'Regular')],
    ['Company', 'Harbour Mills', () => record('Company', 'harb')],
    ['E-mail', 'nina@example.com', () => field('E-mail', 'nina@example.com')],
    ['Phone', '+12025550147', () => field('Phone', '+12025550147')],
  ] as const) {
    await open('/contacts')
    await page.getByText('Petrova').first().waitFor()
    const dialog = await choose()
    await expectClean()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(rows, { message: name }).toMatch(/^[^,]*Kowalska[^,]*$/u)
    await page.getByRole('button', { name: `Remove filter ${name} ${shown}` }).click()
    await page.getByText('Petrova').first().waitFor()
  }
  const dialog = await field('Created from', '2999-01-01')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('button', { name: /^Created from .*2999/u }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('Petrova').first().waitFor()
  await close()
})

test('deals are filtered by status, stage, pipeline and day, and the address keeps the filters', async () => {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact())
  const contacts = [{ id: contact.data.id }]
  await client.post('/deals', aDeal({ title: 'Shelving', contacts, priority: 'high', expectedCloseDate: '2027-03-01' }))
  await client.post('/deals', aDeal({ title: 'Lamps', contacts, priority: 'low', expectedCloseDate: '2027-05-01' }))
  const person = await given.person(organization)
  const { page, open, problems, close } = person
  await open('/deals')
  await page.getByRole('link', { name: 'Lamps' }).waitFor()
  for (const filter of ['Status', 'Stage', 'Pipeline', 'Priority']) {
    const dialog = await filterBy(person, filter)
    const wanted = filter === 'Priority' ? dialog.getByText('High') : dialog.locator('label').first()
    await wanted.click()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const dialog = await filterBy(person, 'Closes before')
  await dialog.getByLabel('Closes before').fill('2027-04-01')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('link', { name: 'Lamps' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Shelving' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Shelving' }).waitFor()
  expect(await page.getByRole('button', { name: /^Remove filter/u }).count()).toBe(5)
  expect(await page.getByRole('link', { name: 'Lamps' }).count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})
