import { expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { testPassword } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('with the keyboard alone, a person signs in, corrects what a contact found by a mistyped name says, sees who changed it before, undoes it, and signs out', async () => {
  const organization = await given.organization()
  const { client } = organization
  const created = await client.post(
    '/contacts',
    aContact({ firstName: 'Nina', lastName: 'Kowalska', jobTitle: 'Buyer' }),
  )
  await client.patch(`/contacts/${created.data.id}`, { expectedVersion: 1, jobTitle: 'Managing director' })
  const { page, user, problems } = await given.person(organization, { isSignedIn: false })
  const { keyboard } = page

  await page.goto('/cabinet/')
  await page.getByLabel('E-mail').waitFor()
  await page.getByLabel('E-mail').focus()
  await keyboard.type(user.email)
  await keyboard.press('Tab')
  await keyboard.type(testPassword)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.getByRole('grid', { name: 'Contacts' }).waitFor()

  await keyboard.press('/')
  await keyboard.type('Kowalsky')
  await page.getByText('Nothing is written like “Kowalsky”').waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowRight')
  await keyboard.press('Enter')
  await keyboard.press('Control+A')
  await keyboard.type('Chief executive')
  await keyboard.press('Enter')
  await page.getByText('Saved: Kowalska Nina').waitFor()
  const job = async () => (await client.get(`/contacts/${created.data.id}`)).data.jobTitle
  expect(await job()).toBe('Chief executive')

  await keyboard.press('Home')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Kowalska Nina', level: 1 }).waitFor()
  await page.getByText(`${user.name} changed`).waitFor()
  const timeline = await page.getByRole('tabpanel').innerText()
  expect(timeline).toMatch(
    /changed[\s\S]*Managing director[\s\S]*Chief executive[\s\S]*Integration changed[\s\S]*Buyer/u,
  )

  await keyboard.press('Control+Z')
  await expect.poll(job).toBe('Managing director')

  const account = page.getByRole('button', { name: 'Account' }).and(page.locator(':focus'))
  for (let presses = 0; presses < 60 && (await account.count()) === 0; presses += 1) await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  await page.getByLabel('Password').waitFor()
  expect(problems).toEqual([])
})
