import { expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('eight tabs of a browser have one stream between them, and all show what has changed', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post(
    '/contacts',
    aContact({ firstName: 'Anna', lastName: 'Petrova', jobTitle: 'Buyer' }),
  )
  const person = await given.person(organization)
  const others = await Promise.all(Array.from({ length: 7 }, () => person.page.context().newPage()))
  const tabs = [person.page, ...others]
  let streams = 0
  for (const tab of tabs) {
    tab.on('request', request => {
      if (new URL(request.url()).pathname.endsWith('/live')) streams += 1
    })
    await tab.goto(`/cabinet/o/${organization.id}/contacts`)
    await tab.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  }
  await expect.poll(() => streams).toBe(1)
  await client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Purchasing lead' })
  for (const tab of tabs) await tab.getByText('Purchasing lead').waitFor()
  expect(streams).toBe(1)

  // The tab that has the stream is closed: another one goes on behind the last change that it has seen.
  await person.page.close()
  await expect.poll(() => streams).toBe(2)
  await client.patch(`/contacts/${data.id}`, { expectedVersion: 2, jobTitle: 'Director' })
  for (const tab of others) await tab.getByText('Director').waitFor()
  expect(person.problems).toEqual([])
})

test('new records wait until the reader wants to see them, and a newer version of a record says whose it is', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const { page, open, problems } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  await page.getByText('Live').waitFor()
  await client.post('/contacts', aContact({ firstName: 'Nina', lastName: 'Kowalska' }))
  await page.getByRole('button', { name: '1 new, show them' }).waitFor()
  expect(await page.getByRole('grid').innerText()).not.toContain('Kowalska')
  await page.getByRole('button', { name: '1 new, show them' }).click()
  await page.getByRole('link', { name: 'Kowalska Nina' }).waitFor()

  // The page shows what the list knew until it has read the record.
  const read = page.waitForResponse(/\/pages\/contacts\//u)
  await page.getByRole('link', { name: 'Petrova Anna' }).click()
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  await read
  await client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Purchasing lead' })
  await page.getByText(/^v2 by An application/u).waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('Purchasing lead')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Purchasing lead').first().waitFor()
  expect(problems).toEqual([])
})

test('a record that others delete or merge says so on its page and beside the list, and a form that is open keeps its text', async () => {
  const organization = await given.organization()
  const { client } = organization
  const ids: string[] = []
  for (const firstName of ['Anna', 'Boris', 'Clara']) {
    const { data } = await client.post('/contacts', aContact({ firstName, lastName: 'Petrova' }))
    ids.push(String(data.id))
  }
  const { page, open, expectClean } = await given.person(organization, { viewport: { width: 1600, height: 900 } })
  await open(`/contacts?open=${ids[1]}`)
  await page.getByRole('region', { name: 'Petrova Boris' }).getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByText('Live').waitFor()
  const { status } = await client.post('/contacts/merge/commit', {
    primaryId: ids[2],
    secondaryId: ids[1],
    expectedPrimaryVersion: 1,
    expectedSecondaryVersion: 1,
    fieldResolutions: { firstName: 'primary' },
    externalIdConflictResolution: 'keep_primary',
  })
  expect(status).toBe(200)
  const merged = page.getByRole('region', { name: 'This record was merged into another one' })
  await merged.getByRole('link', { name: 'Open that one' }).waitFor()
  await page.getByRole('link', { name: 'Petrova Boris' }).waitFor({ state: 'detached' })
  await expectClean()

  await open(`/contacts/${ids[0]}`)
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByText('Live').waitFor()
  await page.keyboard.press('e')
  await page.getByLabel('Job title').fill('Director')
  await client.delete(`/contacts/${ids[0]}?expectedVersion=1`)
  await page
    .getByRole('heading', { name: 'This person was erased', includeHidden: true })
    .first()
    .waitFor({ state: 'attached' })
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
  await expectClean()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('What you typed is still here.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Integration, ').waitFor()
})
