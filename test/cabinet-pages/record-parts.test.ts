import { expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('notes and calls are added with the keyboard alone, kept over a reload until they are, and deleted', async () => {
  const organization = await given.organization()
  const { data } = await organization.client.post('/contacts', aContact())
  const { page, open, expectClean, close } = await given.person(organization, { name: 'Hanna Berg' })
  const note = page.getByRole('textbox', { name: 'Note' })
  await open(`/contacts/${String(data.id)}`)
  await page.getByRole('tab', { name: 'Timeline' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByText('No notes or activities yet.').waitFor()
  await expectClean()
  await note.focus()
  await page.keyboard.type('/call Wants two lots')
  await page.reload()
  await page.getByRole('tab', { name: 'Notes and activities' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).waitFor()
  expect(await note.inputValue()).toBe('/call Wants two lots')
  await note.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Wants two lots', { exact: true }).waitFor()
  await expect.poll(() => note.inputValue()).toBe('')
  await note.fill('Prefers mornings')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Prefers mornings' }).waitFor()
  const { items } = await organization.client.get(`/contacts/${String(data.id)}/activities`)
  expect(items.map(({ type, body }) => [type, body])).toEqual([
    ['note', 'Prefers mornings'],
    ['call', 'Wants two lots'],
  ])
  await expectClean()
  await page.getByRole('listitem').filter({ hasText: 'Wants two lots' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Wants two lots', { exact: true }).waitFor({ state: 'detached' })
  await page.locator('li:has(button:focus)', { hasText: 'Prefers mornings' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('No notes or activities yet.').waitFor()
  await page.locator('textarea:focus').waitFor()
  await close()
})

test('a record is shown as of each of its versions, which cannot be edited', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post('/contacts', aContact({ jobTitle: 'Buyer' }))
  await client.patch(`/contacts/${String(data.id)}`, { expectedVersion: 1, jobTitle: 'Purchasing lead' })
  await client.patch(`/contacts/${String(data.id)}`, { expectedVersion: 2, jobTitle: 'Director' })
  const { page, open, expectClean, close } = await given.person(organization)
  await open(`/contacts/${String(data.id)}`)
  const details = page.getByRole('region', { name: 'Details' }).or(page.locator('.record-side')).first()
  await page.getByText('Director').first().waitFor()
  const slider = page.getByRole('slider', { name: 'As of' })
  await slider.focus()
  for (const [version, job] of [
    [2, 'Purchasing lead'],
    [1, 'Buyer'],
  ] as const) {
    await page.keyboard.press('ArrowLeft')
    await page.getByText(`This is the record as of v${version}.`).waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toBe(`v${version}`)
    expect(await details.innerText()).toContain(job)
    expect(await details.innerText()).not.toContain('Director')
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  }
  await expectClean()
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  expect(await details.innerText()).toContain('Director')
  await close()
})
