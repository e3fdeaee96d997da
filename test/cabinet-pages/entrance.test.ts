import { describe, expect, test } from 'vitest'
import { createResetLink, createSignInLink, inviteMember } from '../../server/src/people/index.ts'
import { aCode, aFactor, aMembership, aUser, testPassword } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

/** A member of an organization. */
async function aMember() {
  const organization = await given.organization()
  const user = await aUser(given.api())
  await aMembership(given.api(), user, organization.id)
  return { user, organization }
}

/** An organization whose owner invites people. The links are those that the owner sees. */
async function anOrganizationThatInvites() {
  const { database, secret } = given.api().test
  const organization = await given.organization()
  const invitedBy = await aMembership(given.api(), await aUser(given.api()), organization.id, 'owner')
  const invite = async (email: string) => {
    const invitation = { organizationId: organization.id, email, name: 'Ben Ito', role: 'member', invitedBy } as const
    return (await inviteMember({ database, secret }, invitation)).text
  }
  return { organization, invite }
}

test('a person signs in with the keyboard alone, and comes to the page that was asked for', async () => {
  const { user, organization } = await aMember()
  const { page, expectClean, close } = await given.tab()
  await page.goto(`/cabinet/o/${organization.id}/companies`)
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await expectClean()
  // The first field has the focus.
  await page.keyboard.type(user.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(testPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/cabinet/o/${organization.id}/companies`)
  await close()
})

test('a session that has ended leads to the sign-in, and from there back', async () => {
  const { user, organization } = await aMember()
  const { page, close } = await given.tab()
  const signIn = async () => {
    await page.getByLabel('E-mail').fill(user.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.goto(`/cabinet/o/${organization.id}/companies`)
  await signIn()
  await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await signIn()
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  await close()
})

test('every wrong pair is refused by the same sentence, and what was typed stays', async () => {
  const { user } = await aMember()
  const { page, expectClean, close } = await given.tab()
  for (const [email, password] of [
    [user.email, 'not the password'],
    ['nobody@example.com', testPassword],
  ] as const) {
    await page.goto('/cabinet/sign-in')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(/^E-mail or password is wrong\. [0-9a-f-]{36}$/u)
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
  }
  await expectClean()
  await close()
})

test('an address that leads elsewhere is not followed after the sign-in', async () => {
  const { user, organization } = await aMember()
  const { page, close } = await given.tab()
  await page.goto('/cabinet/sign-in?to=//elsewhere.example/o/1')
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(page.url()).toBe(`${given.api().url}/cabinet/o/${organization.id}/contacts`)
  await close()
})

test('a link is taken out of the address and the history before it is sent', async () => {
  const { page, close } = await given.tab()
  const addresses: string[] = []
  await page.route('**/cabinet/api/links/look', async route => {
    addresses.push(page.url(), route.request().url())
    await route.continue()
  })
  await page.goto('/cabinet/join#a-secret-of-43-characters')
  await page.getByText('The operator of the server can make a new one.').waitFor()
  expect(addresses).toEqual([`${given.api().url}/cabinet/join`, `${given.api().url}/cabinet/api/links/look`])
  await page.reload()
  await page.getByText('The address has no link in it').waitFor()
  await close()
})

test('a person who has an account accepts an invitation by signing in with the second factor, and the link is used then', async () => {
  const { organization, invite } = await anOrganizationThatInvites()
  const user = await aUser(given.api(), { factor: aFactor })
  const link = await invite(user.email)
  const { page, expectClean, close } = await given.tab()
  await page.goto(`/cabinet/join#${link}`)
  await page.getByText('You are invited as Member. Sign in with your account to accept.').waitFor()
  expect(await page.getByLabel('E-mail').inputValue()).toBe(user.email)
  await expectClean()
  // The address is given, and the password has the focus.
  await page.keyboard.type(testPassword)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code').waitFor()
  await page.keyboard.type(await aCode(Date.now()))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/cabinet/o/${organization.id}/contacts`)
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()

  await page.goto(`/cabinet/join#${link}`)
  await page.getByText('An owner of the organization can make a new one.').waitFor()
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await page.getByText('Ein Inhaber der Organisation kann einen neuen erstellen.').waitFor()
  expect(await untranslated(page, 'de', [])).toEqual([])
  await close()
})

test('the form of a link keeps what was typed while the server cannot be reached, and joins as soon as it can', async () => {
  const { organization, invite } = await anOrganizationThatInvites()
  const link = await invite(`new-${organization.id}@example.com`)
  const { page, close } = await given.tab()
  await page.route('**/cabinet/api/links/use', route => route.abort('connectionrefused'))
  await page.goto(`/cabinet/join#${link}`)
  await page.getByLabel('Name').fill('Benjamin Ito')
  await page.getByLabel('New password').fill('nine quiet harbours')
  await page.keyboard.press('Enter')
  await page.getByText('The server cannot be reached. Nothing is lost: try again in a moment.').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Benjamin Ito')
  expect(await page.getByLabel('New password').inputValue()).toBe('nine quiet harbours')
  await page.unroute('**/cabinet/api/links/use')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForURL(`**/cabinet/o/${organization.id}/contacts`)
  await close()
})

test.for([
  ['de', 'in the dark', { locale: 'de', colorScheme: 'dark' }],
  ['ru', 'at 375 px', { locale: 'ru', viewport: { width: 375, height: 700 } }],
] as const)(
  'the forms of all links and of a forgotten password can be read in %s %s, without scrolling sideways',
  async ([language, , options]) => {
    const { database, secret } = given.api().test
    const { organization, invite } = await anOrganizationThatInvites()
    const [user, member] = [await aUser(given.api(), { factor: aFactor }), await aUser(given.api())]
    const paths = [
      `join#${await invite(`new-${organization.id}@example.com`)}`,
      `reset#${(await createResetLink({ database, secret }, user.id)).text}`,
      `join#${await invite(member.email)}`,
      `enter#${(await createSignInLink({ database, secret }, user.id)).text}`,
      'forgotten',
    ]
    const { page, expectClean, close } = await given.tab(undefined, options)
    await page.route('**/cabinet/api/entrance', route => route.fulfill({ json: { data: { mail: true } } }))
    for (const path of paths) {
      await page.goto(`/cabinet/${path}`)
      await page.locator('form').waitFor()
      await expectClean()
      expect(await untranslated(page, language, []), path).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
    }
    await page.locator('input').fill('nobody@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'nobody@example.com' }).waitFor()
    await close()
  },
)

describe('the sign-in', () => {
  test.each([
    ['de-AT', 'Anmelden'],
    ['ru', 'Войти'],
    ['fr', 'Sign in'],
  ])('speaks the language of the browser where it can: %s', async (locale, title) => {
    const { page, expectClean, close } = await given.tab(undefined, { locale })
    await page.goto('/cabinet/sign-in')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await expectClean()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    await close()
  })

  test.each([
    ['in the dark', { colorScheme: 'dark' }],
    ['in forced colours', { forcedColors: 'active' }],
    ['at 375 px', { viewport: { width: 375, height: 700 } }],
    ['at 200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ] as const)('can be read %s, without scrolling sideways', async (_, options) => {
    const { page, expectClean, close } = await given.tab(undefined, options)
    await page.goto('/cabinet/sign-in')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expectClean()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await close()
  })
})
