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
