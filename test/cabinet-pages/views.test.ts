import { expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** An organization with two contacts, and a list that shows one of them. */
async function aNarrowedList() {
  const organization = await given.organization()
  for (const lastName of ['Kowalska', 'Petrova']) await organization.client.post('/contacts', aContact({ lastName }))
  const owner = await given.person(organization)
  await owner.open('/contacts?search=Kowalska')
  await owner.page.getByText('Kowalska').first().waitFor()
  return { organization, owner }
}

test('a view is saved, renamed, shared and deleted, and another user sees it as long as it is shared', async () => {
  const { organization, owner } = await aNarrowedList()
  const { page, expectClean } = owner
  const views = page.getByRole('navigation', { name: 'Saved views' })
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('Name').fill('Polish')
  await expectClean()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await views.getByRole('button', { name: 'Polish' }).waitFor()

  await views.getByRole('button', { name: 'All' }).click()
  await page.getByText('Petrova').first().waitFor()
  await views.getByRole('button', { name: 'Polish' }).click()
  await page.getByText('Petrova').first().waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Change view' }).click()
  await page.getByLabel('Name').fill('Poland')
  await page.getByText('Everybody in the organization sees it').click()
  await expectClean()
  await page.keyboard.press('Enter')
  await views.getByRole('button', { name: 'Poland' }).waitFor()

  const member = await given.person(organization, { role: 'member' })
  await member.open('/contacts')
  await member.page.getByRole('button', { name: 'Poland' }).click()
  await member.page.getByText('Kowalska').first().waitFor()
  expect(await member.page.getByRole('button', { name: 'Change view' }).count()).toBe(0)

  await page.getByRole('button', { name: 'Change view' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const asked = page.getByRole('alertdialog', { name: 'Delete Poland' })
  await asked.getByText('Everybody in the organization loses it.').waitFor()
  await expectClean()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Change view' }).getByRole('button', { name: 'Delete' }).click()
  await asked.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('View deleted: Poland').waitFor()
  await page.locator('[role="grid"]:focus').waitFor()
  expect(await views.getByRole('button').allInnerTexts()).toEqual(['All'])
  await member.open('/contacts')
  await member.page.getByRole('grid').waitFor()
  expect(await member.page.getByRole('button', { name: 'Poland' }).count()).toBe(0)
  expect([owner.problems, member.problems]).toEqual([[], []])
  await Promise.all([owner.close(), member.close()])
})

test('a view that another user has renamed is saved under the own name only after a look at the other one', async () => {
  const { organization, owner } = await aNarrowedList()
  const { page } = owner
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('Name').fill('Polish')
  await page.getByText('Everybody in the organization sees it').click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Change view' }).click()
  await page.getByLabel('Name').fill('Poland')

  const other = await given.person(organization)
  await other.open('/contacts?search=Kowalska')
  const rename = async (name: string) => {
    await other.page.getByRole('button', { name: 'Change view' }).click()
    await other.page.getByLabel('Name').fill(name)
    await other.page.getByRole('button', { name: 'Save', exact: true }).click()
    await other.page.getByText(`View saved: ${name}`).waitFor()
  }
  await rename('Warsaw')

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('its name is now Warsaw').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Poland')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('View saved: Poland').waitFor()

  await page.getByRole('button', { name: 'Change view' }).click()
  await other.page.reload()
  await other.page.getByRole('button', { name: 'Change view' }).click()
  await other.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await other.page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await other.page.getByText('View deleted').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('This view is gone').waitFor()
  expect([owner.problems, other.problems]).toEqual([[], []])
  await Promise.all([owner.close(), other.close()])
})
