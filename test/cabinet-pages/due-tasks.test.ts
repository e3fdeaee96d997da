import { expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { listOf } from '../conformance/support/uploads.ts'
import { aTask } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('a task that is due today is found by its view, completed by a box, and opened again by Ctrl Z', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { page, open, expectClean } = await given.person(organization, { name: 'Una Berg' })
  const { directories } = (await client.get('/capabilities')).data
  const operators = isObject(directories) ? listOf(directories.operators) : []
  const assigneeUuid = operators.find(({ name }) => name === 'Una Berg')?.uuid
  const today = new Date().toLocaleDateString('sv')
  const { data } = await client.post('/tasks', aTask({ title: 'Ring up', dueDate: today, assigneeUuid }))
  await client.post('/tasks', aTask({ title: 'Send the offer', dueDate: '2026-01-15', assigneeUuid }))
  await client.post('/tasks', aTask({ title: 'Of somebody else', dueDate: today }))
  await open('/tasks')
  const row = page.getByRole('row', { name: 'Ring up' })
  await page.getByRole('row', { name: 'Of somebody else' }).waitFor()
  expect(await row.innerText()).toContain('Today')
  expect(await page.getByRole('row', { name: 'Send the offer' }).innerText()).toMatch(/Overdue: Jan 15/u)
  await page.getByRole('button', { name: 'Mine, due today' }).click()
  await page.getByRole('row', { name: 'Of somebody else' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('grid').getByRole('link').allInnerTexts()).toEqual(['Ring up'])
  await expectClean()
  await row.getByRole('checkbox', { name: 'Done: Ring up' }).click()
  await expect.poll(() => row.innerText()).toContain('Done')
  expect((await client.get(`/tasks/${String(data.id)}`)).data.status).toBe('done')
  await page.keyboard.press('Control+z')
  await expect.poll(() => row.innerText()).toContain('To do')
  expect((await client.get(`/tasks/${String(data.id)}`)).data.status).toBe('todo')

  await row.getByRole('link').click()
  await page.getByRole('checkbox', { name: 'Done', exact: true }).press('Space')
  await expect.poll(async () => (await client.get(`/tasks/${String(data.id)}`)).data.status).toBe('done')
  await expect.poll(() => page.getByRole('checkbox', { name: 'Done', exact: true }).isChecked()).toBe(true)
})
