import { expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { aCode, aSignedInBrowser, testPassword } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

test('where an organization begins to demand a second factor, its list leads to the account, where a person sets one up', async () => {
  const organization = await given.organization()
  const { user, page, open, expectClean, close } = await given.person(organization)
  const at = (path: string) => `/o/${organization.id}${path}`
  await open('/contacts')
  await page.getByText('No contacts yet.').waitFor()
  const elsewhere = await aSignedInBrowser(given.api(), user)
  const { version: expectedVersion } = (await elsewhere.get(at('/settings/organization'))).data
  const demand = { expectedVersion, name: 'Harbour Mills', secondFactorRequired: true }
  expect((await elsewhere.patch(at('/settings/organization'), demand)).status).toBe(200)
  await expect.poll(async () => (await elsewhere.get(at('/crm/contacts'))).status).toBe(403)

  await page.getByRole('button', { name: 'Refresh' }).click()
  const why = page.getByText('Harbour Mills demands a second factor, and your account has none.')
  await why.waitFor()
  await expectClean()
  // The keyboard alone leads to the form: each step has the focus.
  await page.getByRole('link', { name: 'Set it up' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  expect(await why.count()).toBe(1)
  const focused = 'document.activeElement.tagName + document.activeElement.textContent'
  await expect.poll(() => page.evaluate(focused)).toBe('BUTTONSet it up')
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Set up the second factor' })
  await sheet.getByRole('img', { name: 'QR code for the app' }).waitFor()
  await expectClean()
  const secret = await sheet.locator('code').innerText()
  await sheet.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.keyboard.press('Enter')
  await sheet.getByRole('alert').waitFor()
  expect(await sheet.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('000000')
  await sheet.getByRole('textbox', { name: 'Code' }).fill(await aCode(Date.now(), secret))
  await page.keyboard.press('Enter')

  const kept = page.getByRole('dialog', { name: 'Recovery codes' })
  await kept.waitFor()
  expect((await kept.locator('code').innerText()).trim().split(/\s+/u)).toHaveLength(10)
  await expectClean()
  await kept.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('region', { name: 'Second factor' }).getByText('On', { exact: true }).waitFor()
  expect(await why.count()).toBe(0)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click()
  await page.getByText('No contacts yet.').waitFor()
  await close()
})

test('a person changes language, name and password, and ends the sessions elsewhere', async () => {
  const { user, page, expectClean, close } = await given.person(await given.organization(), { name: 'Una Berg' })
  const [phone, program] = [await aSignedInBrowser(given.api(), user), new Browser(given.api())]
  expect((await program.signIn(user.email, testPassword)).status).toBe(200)
  await page.goto('/cabinet/account')
  const part = (name: string) => page.getByRole('region', { name })
  for (const [label, language, locale, programName] of [
    ['Language', 'Deutsch', 'de', 'Anderes Programm'],
    ['Sprache', 'Русский', 'ru', 'Другая программа'],
    ['Язык', 'English', 'en', 'Another program'],
  ] as const) {
    const kept = page.waitForResponse('**/cabinet/api/account')
    await page.getByRole('button', { name: new RegExp(label, 'u') }).click()
    await page.getByRole('option', { name: language }).click()
    await page.getByText(programName).first().waitFor()
    if (locale !== 'en') expect(await untranslated(page, locale, [])).toEqual([])
    await kept
  }

  await part('Profile').getByLabel('Name').fill('Una Lind')
  await page.keyboard.press('Enter')
  await page.getByText('Saved', { exact: true }).waitFor()
  await expect.poll(() => part('Profile').getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)

  const sessions = part('Sessions').getByRole('listitem')
  expect(await sessions.count()).toBe(3)
  expect(await sessions.allInnerTexts()).toContainEqual(expect.stringContaining('Machine of the server, signed in'))
  await part('Sessions').getByRole('button', { name: 'Sign out of Another program' }).press('Enter')
  await expect.poll(() => sessions.count()).toBe(2)
  expect((await program.get('/session')).status).toBe(401)
  await expect.poll(() => page.evaluate('document.activeElement.id')).toMatch(/^session-/u)

  const change = async (current: string) => {
    await part('Password').getByLabel('Current password').fill(current)
    await part('Password').getByLabel('New password').fill('nine quiet harbours')
    await page.keyboard.press('Enter')
  }
  await change('not the password')
  await part('Password').getByRole('alert').waitFor()
  expect(await part('Password').getByLabel('New password').inputValue()).toBe('nine quiet harbours')
  await expectClean()
  await change(testPassword)
  await page.getByText('The password is changed, other sessions are ended').waitFor()
  await expect.poll(() => sessions.count()).toBe(1)
  expect((await phone.get('/session')).status).toBe(401)
  expect((await new Browser(given.api()).signIn(user.email, 'nine quiet harbours')).status).toBe(200)
  await close()
})
