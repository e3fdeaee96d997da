import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContact, aDeal } from '../support/builders.ts'
import { aCalledServer } from '../support/called-server.ts'
import { testPassword } from '../support/people.ts'
import { startDelivery } from '../webhooks/support.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

test('a token is made for a new application, its curl line works, and it is rotated and revoked', async () => {
  const { open, expectClean, close } = await given.person(await given.organization())
  const page = await open('/settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Applications' }).click()
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Shop')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()

  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('nightly')
  await page.getByLabel('Networks').fill('127.0.0.0/8')
  await page.getByText('Your address 127.0.0.1 is included.').waitFor()
  await page.getByRole('group', { name: 'Contacts', exact: true }).getByText('Read').click()
  await expectClean()
  await page.reload()
  await page.getByRole('button', { name: 'New token' }).click()
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('nightly')
  await page.getByRole('button', { name: 'Make the token' }).click()
  await page.getByRole('heading', { name: 'The token nightly is made.' }).waitFor()
  await expectClean()
  const first = await curlIn(page)
  expect(await first()).toBe(200)

  await page.getByRole('button', { name: 'More about nightly' }).click()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  await page
    .getByRole('alertdialog')
    .getByText('The former one was never used.')
    .or(page.getByText('It was last used'))
    .waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('Replaced, good until').waitFor()
  const second = await curlIn(page)
  expect([await first(), await second()]).toEqual([200, 200])

  await page.getByRole('button', { name: 'More about nightly' }).last().click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked').waitFor()
  await expect.poll(second).toBe(401)
  await close()
})

/** The request of the curl line that the page shows; it answers the status. */
async function curlIn(page: Page): Promise<() => Promise<number>> {
  const line = await page.getByText(/^curl /u).innerText()
  const [, token, address = ''] = /^curl -H "Authorization: Bearer (\S+)" "(\S+)"$/u.exec(line) ?? []
  return async () => (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status
}

test('a person is invited, joins with the link, sees no amounts and no settings, and changes of the role are asked about', async () => {
  const organization = await given.organization()
  const contact = await organization.client.post('/contacts', aContact())
  const deal = aDeal({ title: 'Shelving', amount: '48151.62', contacts: [{ id: contact.data.id }] })
  const { data } = await organization.client.post('/deals', deal)
  const owner = await given.person(organization)
  const page = await owner.open('/settings/members')
  await page.getByText('The last owner stays one.').waitFor()
  const error = { code: 'fresh_sign_in_required', message: 'enter the password', details: {} }
  const again = page.getByRole('dialog', { name: 'Enter your password once more.' })
  await page.getByText('Members and read-only see amounts').click()
  await expect.poll(() => page.getByRole('switch', { name: /see amounts/u }).isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`guest-${organization.id}@example.com`)
  await page.getByRole('dialog').getByLabel('Name').fill('Gus Hill')
  await page.route('**/members', route => route.fulfill({ status: 403, json: { error } }), { times: 1 })
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
  await again.getByLabel('Password').fill(testPassword)
  await again.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('This server sends no mail').waitFor()
  await owner.expectClean()

  const guest = await given.tab()
  await guest.page.goto(await page.getByText(/\/cabinet\/join#/u).innerText())
  await guest.page.getByLabel('New password').fill('four blue kettles sing')
  await guest.page.getByRole('button', { name: 'Join' }).click()
  const main = guest.page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Deals' }).waitFor()
  expect(await main.getByRole('link', { name: 'Settings' }).count()).toBe(0)
  await guest.page.goto(`/cabinet/o/${organization.id}/deals/${String(data.id)}`)
  await guest.page.getByRole('button', { name: 'Hidden' }).first().waitFor()
  expect(await guest.page.innerText('body')).not.toMatch(/48.?151/u)
  await guest.page.goto(`/cabinet/o/${organization.id}/settings/members`)
  await guest.page.getByText('Your role does not allow this.').waitFor()
  await guest.expectClean()
  await guest.close()

  await page.reload()
  await page.getByRole('button', { name: /Role of Gus Hill/u }).click()
  await page.getByRole('option', { name: 'Manager' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change the role' }).click()
  await page.getByText('Saved').waitFor()
  await page.getByRole('button', { name: 'End the membership of Gus Hill' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End the membership' }).click()
  await page.getByText('Gus Hill', { exact: true }).waitFor({ state: 'detached' })
  await owner.close()
})

test('a webhook is made with headers that no draft keeps, its receiver fails and is mended, and what has failed is recovered', async () => {
  const organization = await given.organization()
  let isMended = false
  const receiver = await aCalledServer((_, response) => {
    response.statusCode = isMended ? 200 : 500
    response.end()
  })
  const { failures } = startDelivery(given.api())
  const { open, expectClean, close } = await given.person(organization)
  const page = await open('/settings/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('ERP')
  await form.getByLabel('Address').fill(`http://127.0.0.1:${receiver.port}/hook`)
  await form.getByLabel('Events').fill('contact.created')
  await form.getByLabel('Headers').fill('Authorization: Bearer hush')
  const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)')
  expect([kept.includes('contact.created'), kept.includes('hush')]).toEqual([true, false])
  await expectClean()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^whsec_/u).waitFor()
  await page.getByRole('link', { name: 'ERP' }).click()
  await page.getByText('Nothing was sent yet.').waitFor()
  await organization.client.post('/contacts', aContact())
  const attempts = page.getByRole('table', { name: 'Attempts' })
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return attempts.getByText('500').count()
    })
    .toBeGreaterThan(0)
  await expectClean()

  isMended = true
  await page.getByRole('button', { name: 'More about ERP' }).click()
  await page.getByRole('menuitem', { name: 'Send test' }).click()
  await page.getByText('Answered 200').waitFor()
  await page.getByRole('button', { name: 'Recover' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1 event is sent again').waitFor()
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return attempts.getByText('200').count()
    })
    .toBeGreaterThan(0)
  await page.getByRole('button', { name: 'More about ERP' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await page.getByText('It was paused here or by a command.').waitFor()
  expect(failures).toEqual([])
  await close()
})

/** Presses Tab until the focus is on what has this label or text. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const words = await page.evaluate(
      "(document.activeElement.labels?.[0] ?? document.activeElement).innerText || document.activeElement.ariaLabel || ''",
    )
    if (String(words).trim() === name) return
  }
  throw new Error(`no ${name} can be reached with Tab`)
}

test('with the keyboard alone a field is added by which a list filters, and a stage is moved', async () => {
  const organization = await given.organization()
  const { open, page, problems, close } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await tabTo(page, 'Fields')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Fields' }).waitFor()
  await tabTo(page, 'New field')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo(page, 'Label')
  await page.keyboard.type('Region of sales')
  await tabTo(page, 'Key')
  await page.keyboard.type('region_of_sales')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Region of sales', exact: true }).waitFor()
  for (const region of ['North', 'South'])
    await organization.client.post(
      '/contacts',
      aContact({ lastName: region, customFields: { region_of_sales: region } }),
    )
  await open('/contacts?customField.region_of_sales=North')
  await page.getByRole('grid').getByRole('link').first().waitFor()
  expect(await page.getByRole('grid').getByRole('link').count()).toBe(1)

  await open('/settings/pipelines')
  const stages = page
    .getByRole('list', { name: /^Stages of/u })
    .first()
    .getByRole('button')
  await stages.first().waitFor()
  const [moved = ''] = await stages.allInnerTexts()
  await tabTo(page, moved)
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByText(`${moved} is now 2 of`).waitFor()
  await expect.poll(async () => (await stages.allInnerTexts())[1]).toBe(moved)
  expect(await page.evaluate('document.activeElement.innerText')).toBe(moved)
  expect(problems).toEqual([])
  await close()
})

const pages = ['members', 'pipelines', 'fields', 'tags', 'reasons', 'applications', 'webhooks']

test.for([
  ['in the dark', { colorScheme: 'dark' }, 1280],
  ['in forced colours at 375 px', { forcedColors: 'active', viewport: { width: 375, height: 720 } }, 375],
] as const)('the settings can be read %s, without scrolling sideways', async ([, options, width]) => {
  const organization = await given.organization()
  const { open, expectClean, close } = await given.person(organization, options)
  for (const path of [...pages, `applications/${organization.applicationId}`]) {
    const page = await open(`/settings/${path}`)
    await page.locator('.page-body[aria-busy=false]').waitFor()
    await expectClean()
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
  }
  await close()
})

/** What organizations of tests have called their stages and reasons. */
const named = ['Won', 'Lost', 'Price']

const setLocale = statement('test_locale_of_settings', 'update users set locale = $2 where id = $1')

test.for(['de', 'ru'] as const)('the settings say no word in English, in %s', async locale => {
  const organization = await given.organization()
  const { user, page, open, problems, close } = await given.person(organization)
  await given.api().test.database.query(setLocale, [user.id, locale])
  for (const path of [...pages, `applications/${organization.applicationId}`]) {
    await open(`/settings/${path}`)
    await page.locator('.page-body[aria-busy=false]').waitFor()
    expect(await untranslated(page, locale, named), path).toEqual([])
    await page.locator('.page-actions .btn-primary').click()
    await page.getByRole('dialog').waitFor()
    expect(await untranslated(page, locale, named), `a form of ${path}`).toEqual([])
  }
  expect(problems).toEqual([])
  await close()
})
