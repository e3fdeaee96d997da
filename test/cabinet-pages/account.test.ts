import { expect, test } from 'vitest'
import { aCode, aSignedInBrowser } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('where an organization begins to demand a second factor, its list leads to the account, where a person sets one up', async () => {
  const organization = await given.organization()
  const { user, page, open, expectClean, close } = await given.person(organization)
  const at = (path: string) => `/o/${organization.id}${path}`
  await open('/contacts')
  await page.getByText('No contacts yet.').waitFor()
  const elsewhere = await aSignedInBrowser(given.api(), user)
  await elsewhere.patch(at('/settings/organization'), { secondFactorRequired: true, name: 'Harbour Mills' })
  await expect.poll(async () => (await elsewhere.get(at('/crm/contacts'))).status).toBe(403)

  await page.getByRole('button', { name: 'Refresh' }).click()
  const why = page.getByText('Harbour Mills demands a second factor, and your account has none.')
  await why.waitFor()
  await expectClean()
  // The keyboard alone leads to the form: each step has the focus.
  await page.getByRole('link', { name: 'Set it up' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cabinet/account')
  await why.waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Set it up')
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
