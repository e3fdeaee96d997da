import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContact, aDeal } from '../support/builders.ts'
import { testPassword } from '../support/people.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

async function aContactOnItsPage() {
  const organization = await given.organization()
  const { data } = await organization.client.post('/contacts', aContact({ jobTitle: 'Buyer', source: 'website' }))
  const person = await given.person(organization)
  const path = `/contacts/${String(data.id)}`
  const saved = async () => (await organization.client.get(path)).data
  return { organization, path, saved, ...person }
}

/** Keeps requests of one method below a path, until they are let go. */
async function hold(page: Page, method: string, path: string) {
  const held: Route[] = []
  let isHeld = true
  await page.route(path, async route => {
    if (!isHeld || route.request().method() !== method) return route.fallback()
    held.push(route)
  })
  return {
    held,
    async letGo() {
      isHeld = false
      for (const route of held) await route.continue()
    },
  }
}

test('what is typed while a form is saved stays in the form, and is saved next', async () => {
  const { page, open, path, saved, problems } = await aContactOnItsPage()
  await open(path)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Job title').fill('Director')
  const { held, letGo } = await hold(page, 'PATCH', '**/crm/contacts/*')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(1)
  await page.getByLabel('Source').fill('trade fair')
  await letGo()
  await page.getByText('What you typed meanwhile is not saved yet.').waitFor()
  expect(await saved()).toMatchObject({ jobTitle: 'Director', source: 'website' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await saved()).toMatchObject({ jobTitle: 'Director', source: 'trade fair', version: 3 })
  expect(problems).toEqual([])
})

test('what was typed in a cell while the server was away is there after a reload, and is saved once', async () => {
  const { page, open, saved } = await aContactOnItsPage()
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  await page.route('**/crm/contacts/*', async route => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter', 'Control+A']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await page.keyboard.press('Enter')
  await page.getByText('The server does not answer. This is saved as soon as it does.').waitFor()
  await page.reload()
  await page.unrouteAll()
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: Petrova Anna').waitFor()
  expect(await saved()).toMatchObject({ jobTitle: 'Director', version: 2 })
})

test('a cell that the server refuses goes on in the form, with what was typed', async () => {
  const { page, open } = await aContactOnItsPage()
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  await page.route('**/crm/contacts/*', route =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 422, json: { error: { code: 'business_rule', message: 'Refused', details: {} } } })
      : route.fallback(),
  )
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter', 'Control+A']) await page.keyboard.press(key)
  await page.keyboard.type('Director')
  await page.keyboard.press('Enter')
  await page.getByText('What you typed is still here.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
  await page.keyboard.press('Escape')
  await page.getByText('Kept as a draft, not saved.').first().waitFor()
  await page.keyboard.press('e')
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
})

test('two cells of a record that are edited one right after the other are both saved, and Ctrl Z takes one back after the other', async () => {
  const { organization, page, open, saved, problems } = await aContactOnItsPage()
  await open('/contacts')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Source' }).press('Space')
  await page.getByRole('button', { name: 'Done' }).click()
  const { held, letGo } = await hold(page, 'PATCH', '**/crm/contacts/*')
  const grid = page.getByRole('grid')
  await grid.focus()
  const type = async (text: string) => {
    for (const key of ['Enter', 'Control+A']) await page.keyboard.press(key)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('ArrowRight')
  await type('Director')
  await expect.poll(() => held.length).toBe(1)
  const place = await page.getByRole('columnheader').allInnerTexts()
  for (let column = place.indexOf('Job title'); column < place.indexOf('Source'); column += 1)
    await page.keyboard.press('ArrowRight')
  await type('trade fair')
  await letGo()
  await expect.poll(saved).toMatchObject({ jobTitle: 'Director', source: 'trade fair', version: 3 })
  await page.getByText('trade fair').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+Z')
  await expect.poll(saved).toMatchObject({ jobTitle: 'Director', source: 'website' })
  await page.keyboard.press('Control+Z')
  await expect.poll(saved).toMatchObject({ jobTitle: 'Buyer', source: 'website' })
  await page.keyboard.press('Control+Z')
  await page.getByText('Nothing to undo.').waitFor()
  expect((await organization.client.get('/contacts')).items).toHaveLength(1)
  expect(problems).toEqual([])
})

test('a draft of a new deal does not stand in for the new deal of a contact', async () => {
  const { page, open, path } = await aContactOnItsPage()
  await open('/deals')
  await page.getByRole('button', { name: 'New deal' }).first().click()
  await page.getByLabel('Title').fill('Twelve lamps')
  await page.keyboard.press('Escape')
  await page.getByText('Kept as a draft, not saved.').first().waitFor()
  await open(path)
  await page.getByRole('button', { name: 'New deal' }).click()
  await page.getByRole('dialog').getByText('Petrova Anna').waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('')
  await page.getByLabel('Title').fill('Ten chairs')
  // A reload opens the form again that was open, and not the one that was left.
  await page.reload()
  await page.getByRole('dialog').getByText('Petrova Anna').waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('Ten chairs')
})

const endSessions = statement('test_end_sessions_while_typing', 'delete from sessions where user_id = $1')

test('a session that ended before Save leads to the sign-in, and from there back to what was typed', async () => {
  const { page, open, path, saved, user } = await aContactOnItsPage()
  await open(path)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Job title').fill('Director')
  const { database } = given.api().test
  await database.query(endSessions, [user.id])
  given.api().services.authentication.sessions.forget()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toBe('Director')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: Petrova Anna').waitFor()
  expect(await saved()).toMatchObject({ jobTitle: 'Director', version: 2 })
})

test('after Save, keys go where they went before: to the list, or from the record back to it', async () => {
  const { page, open } = await aContactOnItsPage()
  await open('/contacts')
  await page.getByRole('grid').focus()
  await page.keyboard.press('e')
  await page.getByLabel('Job title').fill('Director')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Petrova Anna', level: 1 }).waitFor()
  await page.keyboard.press('e')
  await page.getByLabel('Job title').fill('Purchasing lead')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
})

test('Esc leaves a form that is being saved, with the focus where Save has left it', async () => {
  const { page, open, path } = await aContactOnItsPage()
  await open(path)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Job title').fill('Director')
  const { held, letGo } = await hold(page, 'PATCH', '**/crm/contacts/*')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByText('Kept as a draft, not saved.').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await letGo()
})

test('a refused move to a lost stage keeps the comment, also over a reload, and is repeated on top of what others wrote', async () => {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact())
  const { data } = await client.post('/deals', aDeal({ contacts: [{ id: contact.data.id }] }))
  const { page, open } = await given.person(organization)
  await open(`/deals/${String(data.id)}`)
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await client.patch(`/deals/${String(data.id)}`, { expectedVersion: 1, title: 'Ten lamps' })
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Lost' }).click()
  const dialog = page.getByRole('dialog', { name: 'Lost reason' })
  await dialog.getByLabel('Lost reason comment').fill('Too expensive')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByLabel('Lost reason comment').inputValue()).toBe('Too expensive')
  await page.getByRole('heading', { name: 'Ten lamps', level: 1, includeHidden: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Lost' }).click()
  await dialog.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await dialog.getByLabel('Lost reason comment').inputValue()).toBe('Too expensive')
  await dialog.getByRole('button', { name: 'Lost reason' }).click()
  await page.getByRole('option', { name: 'Price' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const moved = await client.get(`/deals/${String(data.id)}`)
  expect(moved.data).toMatchObject({ status: 'lost', lostReasonComment: 'Too expensive' })
})

test('a cell that is refused when one has left the list waits in the form of the record', async () => {
  const { page, open, path } = await aContactOnItsPage()
  await open('/contacts')
  await page.getByRole('link', { name: 'Petrova Anna' }).waitFor()
  await page.getByRole('grid').focus()
  for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key)
  const held: Route[] = []
  await page.route('**/crm/contacts/*', async route => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    held.push(route)
  })
  await page.keyboard.type('Director')
  await page.keyboard.press('Enter')
  await expect.poll(() => held.length).toBe(1)
  await page.getByRole('navigation').getByRole('link', { name: 'Companies' }).click()
  await page.getByRole('heading', { name: 'Companies', level: 1 }).waitFor()
  const error = { code: 'insufficient_scope', message: 'no', details: {} }
  await held[0]?.fulfill({ status: 403, json: { error } })
  await page.getByText('Kept as a draft, not saved.').waitFor()
  await open(path)
  await page.getByText('This is what you typed before. It is not saved yet.').waitFor()
  expect(await page.getByLabel('Job title').inputValue()).toContain('Director')
})
