import { beforeAll, describe, expect, test } from 'vitest'
import type { TestOrganization } from '../support/organization.ts'
import { aMembership, aUser, type TestUser } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

let organization: TestOrganization
let user: TestUser
beforeAll(async () => {
  organization = await given.organization()
  user = await aUser(given.api(), { name: 'Olivia Grant' })
  await aMembership(given.api(), user, organization.id, 'owner')
})

test('the keys lead to each list, and say so', async () => {
  const { page, expectClean, close } = await given.tab(user)
  await page.goto('/cabinet/account')
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to Deals').waitFor()
  await expectClean()
  await page.keyboard.press('Escape')
  for (const [letter, list] of Object.entries({ o: 'companies', d: 'deals', t: 'tasks', c: 'contacts' })) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await page.waitForURL(`**/cabinet/o/${organization.id}/${list}`)
  }
  await close()
})

test('single keys can be switched off, and Ctrl K goes on working', async () => {
  const { page, close } = await given.tab(user)
  await page.goto('/cabinet/account')
  await page.getByText('Keys without Ctrl').click()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Commands' }).waitFor()
  await close()
})

test('the palette finds a record and opens it, with the keyboard alone', async () => {
  const { page, expectClean, close } = await given.tab(user)
  const id = '019bd1c8-7c40-7896-8107-f28fe83d88a9'
  const hit = { type: 'contact', id, title: 'Petrova Anna', subtitle: 'Head of purchasing' }
  await page.route('**/crm/search?q=petrva*', route => route.fulfill({ json: { data: [hit], meta: {} } }))
  await page.goto('/cabinet/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('petrva')
  await page.getByRole('menuitem', { name: /Petrova Anna/u }).waitFor()
  await expectClean()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/cabinet/o/${organization.id}/contacts/${id}`)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Commands' }).waitFor()
  await page.keyboard.type('go')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await close()
})

test('what is typed behind Ctrl K is not lost while the palette is still loaded, and the focus comes back', async () => {
  const { page, problems, close } = await given.tab(user)
  let load = () => {}
  const loaded = new Promise<void>(resolve => {
    load = resolve
  })
  await page.route('**/assets/palette-*.js', async route => {
    await loaded
    await route.continue()
  })
  await page.goto(`/cabinet/o/${organization.id}/contacts`)
  await page.getByRole('searchbox', { name: 'Search' }).focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('go to dx')
  await page.keyboard.press('Backspace')
  load()
  await page.getByRole('dialog', { name: 'Commands' }).waitFor()
  expect(
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .or(page.getByRole('dialog').getByRole('searchbox'))
      .inputValue(),
  ).toBe('go to d')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Search')
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('')
  expect(problems).toEqual([])
  await close()
})

test('signing out ends the session, and nothing that was shown can be seen by going back', async () => {
  const { page, problems, close } = await given.tab(user)
  await page.goto('/cabinet/account')
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect(await page.getByText(user.email).count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})

test('an organization that the user does not belong to is like one that is not there', async () => {
  const other = await given.organization()
  const { page, close } = await given.tab(user)
  await page.goto(`/cabinet/o/${other.id}/contacts`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await close()
})

test('a member of two organizations changes between them', async () => {
  const [one, two] = [await given.organization(), await given.organization()]
  const both = await aUser(given.api())
  for (const { id } of [one, two]) await aMembership(given.api(), both, id)
  const { page, close } = await given.tab(both)
  await page.goto(`/cabinet/o/${one.id}/contacts`)
  await page.getByRole('button', { name: /, change$/u }).click()
  await page.locator(`[role=menuitem][href$="${two.id}/contacts"]`).click()
  await page.waitForURL(`**/cabinet/o/${two.id}/contacts`)
  await close()
})

describe('the account', () => {
  test.each([
    ['in the dark', { colorScheme: 'dark' }],
    ['in forced colours', { forcedColors: 'active' }],
    ['at 375 px', { viewport: { width: 375, height: 700 } }],
    ['at 200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ] as const)('can be read %s, without scrolling sideways', async (_, options) => {
    const { page, expectClean, close } = await given.tab(user, options)
    await page.goto('/cabinet/account')
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await expectClean()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await close()
  })

  test('shows each theme that is chosen, and keeps it over a reload', async () => {
    const { page, close } = await given.tab(user)
    await page.goto('/cabinet/account')
    await page.getByText('Dark', { exact: true }).click()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await close()
  })
})

test('small screens have a bar of four, and the rest behind More', async () => {
  const { page, expectClean, close } = await given.tab(user, { viewport: { width: 375, height: 700 } })
  await page.goto('/cabinet/account')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.waitFor()
  expect(await main.getByRole('link').allInnerTexts()).toEqual(['Contacts', 'Companies', 'Deals', 'Tasks'])
  await main.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await expectClean()
  await close()
})

test('when the server has another version, the page says so and stays as it is', async () => {
  const { page, close } = await given.tab(user)
  let isNew = false
  await page.route('**/cabinet/api/**', async route => {
    const response = await route.fetch()
    const headers = response.headers()
    await route.fulfill({ response, headers: isNew ? { ...headers, 'x-crm-build': 'another' } : headers })
  })
  await page.goto('/cabinet/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByText('A new version is here').count()).toBe(0)
  isNew = true
  await page.keyboard.press('Control+k')
  const found = page.waitForResponse(/crm\/search\?q=anybody/u)
  await page.keyboard.type('anybody')
  await found
  await page.keyboard.press('Escape')
  await page.getByText('A new version is here').waitFor()
  await close()
})
