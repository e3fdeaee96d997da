import { expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { aTask } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** An organization with a task. */
async function aTaskOf() {
  const organization = await given.organization()
  const { client } = organization
  const task = await client.post('/tasks', aTask({ title: 'Fair' }))
  const path = `/tasks/${String(task.data.id)}`
  const lists = async () => (await client.get(`${path}/checklists`)).items
  const points = async () =>
    (await lists()).flatMap(({ items }) => (Array.isArray(items) ? items.filter(isObject) : []))
  return { organization, client, path, lists, points }
}

test('with the keyboard alone, a person makes a checklist, also over a reload, ticks by Space, adds by Enter, changes, moves and deletes', async () => {
  const { organization, path, lists, points } = await aTaskOf()
  const { page, open, expectClean, close } = await given.person(organization)
  const { keyboard } = page
  await open(path)
  await page.getByRole('button', { name: 'New checklist' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New checklist' }).waitFor()
  await keyboard.type('Bef')
  await page.reload()
  await page.getByRole('button', { name: 'New checklist' }).focus()
  await keyboard.press('Enter')
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  await keyboard.press('End')
  await keyboard.type('ore')
  await expectClean()
  await keyboard.press('Enter')
  const list = page.getByRole('group', { name: 'Before' })
  await list.waitFor()
  await list.getByRole('textbox', { name: 'Add to Before' }).focus()
  for (const text of ['Book', 'Print', 'Pack']) {
    await keyboard.type(text)
    await keyboard.press('Enter')
    await list.getByRole('checkbox', { name: text }).waitFor()
    await expect.poll(() => list.getByRole('textbox').inputValue()).toBe('')
  }
  // What is typed stays over a reload.
  await keyboard.type('Half a')
  await page.reload()
  await expect.poll(() => list.getByRole('textbox').inputValue()).toBe('Half a')

  await list.getByRole('checkbox', { name: 'Book' }).focus()
  await keyboard.press('Space')
  await list.getByText('1 of 3').waitFor()
  await list.getByText(/^Una Berg, /u).waitFor()
  await expectClean()
  await list.getByRole('checkbox', { name: 'Print' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit point' }).waitFor()
  await keyboard.press('Control+A')
  await keyboard.type('Print the offer')
  await keyboard.press('Enter')
  await list.getByRole('checkbox', { name: 'Print the offer' }).waitFor()
  await list.getByRole('checkbox', { name: 'Pack' }).focus()
  await keyboard.press('Alt+ArrowUp')
  await page.getByText('Pack is now 2 of 3').waitFor()
  expect((await points()).map(({ text, isDone }) => [text, isDone])).toEqual([
    ['Book', true],
    ['Pack', false],
    ['Print the offer', false],
  ])

  await list.getByRole('button', { name: 'More about Pack' }).focus()
  await keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  await list.getByText('1 of 2').waitFor()
  await list.locator('label:has(:focus)', { hasText: 'Print the offer' }).waitFor()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await list.getByText('1 of 3').waitFor()
  expect((await points()).map(({ text }) => text)).toEqual(['Book', 'Pack', 'Print the offer'])
  await list.getByRole('button', { name: 'More about Before' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('3 points go with it.').waitFor()
  await expectClean()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await list.waitFor({ state: 'detached' })
  await page.locator('button:focus[aria-label="New checklist"]').waitFor()
  expect(await lists()).toEqual([])
  await close()
})

test('points that are ticked one after the other are all saved, also the same one twice', async () => {
  const { organization, client, path, points } = await aTaskOf()
  const { data } = await client.post(`${path}/checklists`, { title: 'Before' })
  for (const text of ['Book', 'Print', 'Pack']) await client.post(`${path}/checklists/${data.id}/items`, { text })
  const { page, open, problems, close } = await given.person(organization)
  await open(path)
  const list = page.getByRole('group', { name: 'Before' })
  for (const name of ['Book', 'Print', 'Book', 'Pack']) await list.getByText(name, { exact: true }).click()
  await list.getByText('2 of 3').waitFor()
  await expect.poll(async () => (await points()).map(({ isDone }) => isDone)).toEqual([false, true, true])
  expect(problems).toEqual([])
  await close()
})

test('a checklist whose answer was lost is there once when it is saved again', async () => {
  const { organization, path, lists } = await aTaskOf()
  const { page, open, close } = await given.person(organization)
  await open(path)
  await page.getByRole('button', { name: 'New checklist' }).click()
  const dialog = page.getByRole('dialog', { name: 'New checklist' })
  await dialog.getByLabel('Title').fill('Before')
  await page.route('**/checklists', async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The server cannot be reached.').waitFor()
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await lists()).toMatchObject([{ title: 'Before' }])
  await close()
})

test('a point that others changed meanwhile is shown as it is, with the reason why the change was not made', async () => {
  const { organization, client, path, points } = await aTaskOf()
  const { data } = await client.post(`${path}/checklists`, { title: 'Before' })
  const items = `${path}/checklists/${data.id}/items`
  const item = await client.post(items, { text: 'Book' })
  const { page, open, expectClean, close } = await given.person(organization)
  await open(path)
  await page.getByRole('checkbox', { name: 'Book' }).waitFor()
  await client.patch(`${items}/${item.data.id}`, { expectedVersion: 1, text: 'Book two' })
  await page.getByText('Book', { exact: true }).click()
  await page.getByText('Somebody changed this meanwhile.').waitFor()
  await page.getByRole('checkbox', { name: 'Book two' }).waitFor()
  await expectClean()
  expect(await points()).toMatchObject([{ text: 'Book two', isDone: false }])
  await close()
})

test('a member who only reads sees the points, and can change none', async () => {
  const { organization, client, path, points } = await aTaskOf()
  const { data } = await client.post(`${path}/checklists`, { title: 'Before' })
  await client.post(`${path}/checklists/${data.id}/items`, { text: 'Book' })
  const { page, open, expectClean, close } = await given.person(organization, { role: 'read_only' })
  await open(path)
  const list = page.getByRole('group', { name: 'Before' })
  await list.getByText('Book', { exact: true }).click()
  expect(await list.getByRole('button').count()).toBe(0)
  expect(await list.getByRole('textbox').count()).toBe(0)
  expect(await points()).toMatchObject([{ isDone: false }])
  await expectClean()
  await close()
})
