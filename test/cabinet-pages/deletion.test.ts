import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import { testPassword } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

const ageSignIn = statement(
  'test_age_sign_in',
  "update sessions set fresh_at = now() - interval '1 hour' where user_id = $1",
)

test('a contact is deleted with the keyboard alone, after the dialog has said what goes and what others changed meanwhile', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const company = await client.post('/companies', aCompany())
  await client.post('/deals', aDeal({ contacts: [{ id: data.id }], companies: [{ id: company.data.id }] }))
  const { page, user, open, expectClean, close } = await given.person(organization)
  await given.api().test.database.query(ageSignIn, [user.id])
  await open(`/contacts/${data.id}`)
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Delete Petrova Anna' })
  await dialog.getByText('This cannot be undone.').waitFor()
  await dialog.getByText('Deals', { exact: true }).waitFor()
  await expectClean()

  await client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Director' })
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Enter your password once more.' }).waitFor()
  await page.keyboard.type(testPassword)
  await page.keyboard.press('Enter')
  await dialog.getByText('it is v2 now, and you saw v1').waitFor()
  expect((await client.get(`/contacts/${data.id}`)).status).toBe(200)
  await dialog.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.getByText('Deleted: Petrova Anna').waitFor()
  await page.getByText('No contacts yet.').waitFor()
  expect((await client.get(`/contacts/${data.id}`)).status).toBe(404)
  await open(`/contacts/${data.id}`)
  await page.getByRole('heading', { name: 'This record was deleted', level: 1 }).waitFor()
  await page.getByText('Una Berg, ').waitFor()
  await expectClean()
  await close()
})

test('a company that a deal cannot be without is not offered for deletion, and the dialog says why', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post('/companies', aCompany({ name: 'Mills' }))
  await client.post('/deals', aDeal({ companies: [{ id: data.id }] }))
  const { page, open, expectClean, close } = await given.person(organization)
  await open(`/companies/${data.id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('One deal names no other contact or company, and cannot be without.').waitFor()
  expect(await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await expectClean()
  await close()
})

test('selected rows are deleted, and those that stay are named with the reason', async () => {
  const organization = await given.organization()
  const { client } = organization
  const titles = ['Call', 'Write', 'Visit', 'Wait']
  const tasks = await Promise.all(titles.map(title => client.post('/tasks', aTask({ title }))))
  const { page, open, expectClean, close } = await given.person(organization)
  await open('/tasks')
  for (const title of ['Call', 'Write', 'Visit']) await page.getByRole('checkbox', { name: `Select ${title}` }).click()
  await page.getByRole('toolbar', { name: 'Selected records' }).getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete 3 records' })
  await dialog.getByText('This cannot be undone.').waitFor()
  await expectClean()
  // Nothing tells the list of it: the row is deleted in the version that one saw.
  await page.context().setOffline(true)
  await client.patch(`/tasks/${tasks[1]?.data.id}`, { expectedVersion: 1, title: 'Write again' })
  await page.context().setOffline(false)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('2 of 3').waitFor()
  const staying = dialog.getByRole('list', { name: 'Not deleted' })
  await staying.waitFor()
  expect(await staying.innerText()).toContain('Somebody changed this meanwhile.')
  await expectClean()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await dialog.waitFor({ state: 'detached' })
  const left = await client.get('/tasks')
  expect(left.items.map(({ title }) => title).toSorted()).toEqual(['Wait', 'Write again'])
  await close()
})

test('a deletion that is stopped says how far it came, and what was not deleted stays selected', async () => {
  const organization = await given.organization()
  for (const title of ['Call', 'Write', 'Visit', 'Wait']) await organization.client.post('/tasks', aTask({ title }))
  const { page, open, close } = await given.person(organization)
  await open('/tasks')
  for (const title of ['Call', 'Write', 'Visit']) await page.getByRole('checkbox', { name: `Select ${title}` }).click()
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByRole('button', { name: 'Delete' }).click()
  let requests = 0
  await page.route('**/crm/tasks/*', route => {
    if (route.request().method() !== 'DELETE') return route.fallback()
    requests += 1
    if (requests === 1) return route.fallback()
    return route.abort('connectionrefused')
  })
  const dialog = page.getByRole('alertdialog', { name: 'Delete 3 records' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('The server does not answer. The deletion goes on as soon as it does.').waitFor()
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await dialog.getByText('1 of 3').waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await dialog.waitFor({ state: 'detached' })
  await bar.getByText('2 selected').waitFor()
  await page.unrouteAll()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog', { name: 'Delete 2 records' }).getByRole('button', { name: 'Delete' }).click()
  await bar.waitFor({ state: 'detached' })
  await page.locator('[role="grid"]:focus').waitFor()
  await close()
})

test('a deletion under way cannot be closed', async () => {
  const organization = await given.organization()
  const { data } = await organization.client.post('/tasks', aTask({ title: 'Call' }))
  const { page, open, close } = await given.person(organization)
  await open(`/tasks/${data.id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  let answer = () => {}
  const answered = new Promise<void>(resolve => {
    answer = resolve
  })
  await page.route('**/crm/tasks/*', async route => {
    if (route.request().method() !== 'DELETE') return route.fallback()
    await answered
    return route.fulfill({ status: 503, contentType: 'application/json', body: '{}' })
  })
  const dialog = page.getByRole('alertdialog', { name: 'Delete Call' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.mouse.click(2, 2)
  expect(await dialog.isVisible()).toBe(true)
  answer()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await close()
})

test.for(['member', 'read_only'] as const)('a %s is offered no deletion', async role => {
  const organization = await given.organization()
  const { data } = await organization.client.post('/tasks', aTask({ title: 'Call' }))
  const { page, open, close } = await given.person(organization, { role })
  await open('/tasks')
  await page.getByRole('checkbox', { name: 'Select Call' }).click()
  await page.getByRole('toolbar', { name: 'Selected records' }).waitFor()
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  await open(`/tasks/${data.id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)
  await close()
})
