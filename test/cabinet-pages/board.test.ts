import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aDeal } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()
const address = '/deals?view=board'

/** An organization with these deals in the first stage, from its top, and the ids of these. */
async function deals(titles: readonly string[]): Promise<{ organization: TestOrganization; ids: string[] }> {
  const organization = await given.organization()
  const { client } = organization
  const company = await client.post('/companies', aCompany({ name: 'Mills' }))
  const companies = [{ id: company.data.id }]
  const ids: string[] = []
  for (const title of titles.toReversed()) {
    const { data } = await client.post('/deals', aDeal({ title, companies, amount: '1200.50', currency: 'EUR' }))
    ids.unshift(String(data.id))
  }
  return { organization, ids }
}

const stage = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const card = (page: Page, title: string) => page.getByRole('row', { name: title })

/** What the element that has the focus says. */
const focused = (page: Page) => page.evaluate("document.activeElement?.innerText ?? ''")

/** The titles of the cards of a stage, from its top. */
const titlesIn = (page: Page, name: string) => stage(page, name).getByRole('heading', { level: 3 }).allInnerTexts()

test('a card is dragged to a place in another stage, and Ctrl Z takes it back to where it was', async () => {
  const { organization } = await deals(['Shelving', 'Sorting', 'Packing'])
  const { page, open, expectClean } = await given.person(organization)
  await open(address)
  await card(page, 'Shelving').waitFor()
  expect(await stage(page, 'New').innerText()).toMatch(/New 3\s+3,601\.50 EUR/u)
  expect(await card(page, 'Sorting').innerText()).toMatch(/Mills[\s\S]*1,200\.50 EUR/u)
  await card(page, 'Shelving').dragTo(stage(page, 'Talks').getByRole('grid'))
  await expect.poll(() => titlesIn(page, 'Talks')).toEqual(['Shelving'])
  await page.getByRole('status').getByText('Moved to Talks, 1 of 1').waitFor()
  await expect.poll(() => stage(page, 'Talks').innerText()).toMatch(/Talks 1\s+1,200\.50 EUR/u)
  const box = await card(page, 'Shelving').boundingBox()
  await card(page, 'Packing').dragTo(card(page, 'Shelving'), {
    targetPosition: { x: 20, y: (box?.height ?? 60) - 4 },
  })
  await expect.poll(() => titlesIn(page, 'Talks')).toEqual(['Shelving', 'Packing'])
  await page.getByRole('status').getByText('Moved to Talks, 2 of 2').waitFor()
  await page.keyboard.press('Control+z')
  await expect.poll(() => titlesIn(page, 'New')).toEqual(['Sorting', 'Packing'])
  await page.getByRole('status').getByText('Undone').waitFor()
  await expectClean()
})

test('a card is moved with the keyboard alone, says where it stands, and keeps the focus', async () => {
  const { organization } = await deals(['Shelving', 'Sorting'])
  const { page, open, problems } = await given.person(organization)
  await open(address)
  await card(page, 'Sorting').focus()
  await page.keyboard.press('m')
  await expect.poll(() => focused(page)).toBe('Talks')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Moved to Talks, 1 of 1').waitFor()
  await expect.poll(() => titlesIn(page, 'Talks')).toEqual(['Sorting'])
  await expect.poll(() => focused(page)).toContain('Sorting')

  // The way of React Aria: the handle starts, Tab leads to the next place, Enter drops.
  await card(page, 'Shelving').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page
    .getByRole('status')
    .getByText(/^Moved to Talks, \d of 2/u)
    .waitFor()
  expect(problems).toEqual([])
})

test('a move that the server refuses returns the card, and says why and who came first', async () => {
  const { organization, ids } = await deals(['Shelving', 'Sorting'])
  const { page, open, problems } = await given.person(organization)
  await open(address)
  await card(page, 'Shelving').waitFor()
  await page.route(/\/move$/u, async route => {
    await organization.client.patch(`/deals/${ids[0]}`, { expectedVersion: 1, title: 'Shelving and doors' })
    await route.continue()
  })
  await card(page, 'Shelving').dragTo(stage(page, 'Won').getByRole('grid'))
  await page
    .getByRole('status')
    .getByText(/^Not moved: .+ has changed Shelving meanwhile\. You see it as it is now\.$/u)
    .waitFor()
  await expect.poll(() => titlesIn(page, 'New')).toEqual(['Shelving and doors', 'Sorting'])
  await page.unrouteAll()
  await page.route(/\/move$/u, route => route.fulfill({ status: 503, body: '{}' }))
  await card(page, 'Sorting').dragTo(stage(page, 'Won').getByRole('grid'))
  await page
    .getByRole('status')
    .getByText(/^Not moved: Sorting\. The server made a mistake/u)
    .waitFor()
  await expect.poll(() => titlesIn(page, 'New')).toEqual(['Shelving and doors', 'Sorting'])
  expect(problems).toEqual([])
})

test('a move whose answer is lost is sent again under its key, and is made once', async () => {
  const { organization, ids } = await deals(['Shelving'])
  const { page, open, problems } = await given.person(organization)
  await open(address)
  await card(page, 'Shelving').waitFor()
  const keys: (string | undefined)[] = []
  await page.route(/\/move$/u, async route => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.fallback()
    await route.fetch()
    return route.abort('connectionrefused')
  })
  await card(page, 'Shelving').dragTo(stage(page, 'Won').getByRole('grid'))
  await page.getByRole('status').getByText('Moved to Won, 1 of 1').waitFor()
  expect(await titlesIn(page, 'Won')).toEqual(['Shelving'])
  expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  expect((await organization.client.get(`/deals/${ids[0]}`)).data.version).toBe(2)
  expect(problems).toEqual([])
})

test('a card that goes to a lost stage stays until the reason is given, and takes it along', async () => {
  const { organization, ids } = await deals(['Shelving'])
  const { page, open, problems } = await given.person(organization)
  await open(address)
  await card(page, 'Shelving').focus()
  await page.keyboard.press('m')
  await page.getByRole('menuitem', { name: 'Lost' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Lost reason' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => focused(page)).toContain('Shelving')
  await card(page, 'Shelving').dragTo(stage(page, 'Lost').getByRole('grid'))
  await dialog.waitFor()
  expect(await titlesIn(page, 'New')).toEqual(['Shelving'])
  await dialog.getByLabel('Lost reason comment').fill('Too dear')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('Not moved: Shelving.').waitFor()
  expect(await titlesIn(page, 'New')).toEqual(['Shelving'])
  await dialog.getByRole('button', { name: 'Lost reason' }).click()
  await page.getByRole('option', { name: 'Price' }).click()
  await page.route(
    /\/move$/u,
    async route => {
      await organization.client.patch(`/deals/${ids[0]}`, { expectedVersion: 1, priority: 'high' })
      await route.continue()
    },
    { times: 1 },
  )
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/has changed Shelving meanwhile/u)
    .waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => titlesIn(page, 'Lost')).toEqual(['Shelving'])
  const { data } = await organization.client.get(`/deals/${ids[0]}`)
  expect(data).toMatchObject({ status: 'lost', lostReasonComment: 'Too dear' })
  await expect.poll(() => focused(page)).toContain('Shelving')
  expect(problems).toEqual([])
})

const hideAmounts = statement(
  'test_hide_amounts_of_board',
  'update organizations set members_see_amounts = false where id = $1',
)

test('a member who may not see amounts finds none on the board, and a reader cannot move a card', async () => {
  const { organization } = await deals(['Shelving'])
  await given.api().test.database.query(hideAmounts, [organization.id])
  const member = await given.person(organization, { role: 'member' })
  await member.open(address)
  await card(member.page, 'Shelving').waitFor()
  expect(await stage(member.page, 'New').innerText()).toContain('Hidden')
  expect(await member.page.content()).not.toMatch(/1[.,\s\u202f]?200/u)
  const reader = await given.person(organization, { role: 'read_only' })
  await reader.open(address)
  await card(reader.page, 'Shelving').focus()
  await reader.page.keyboard.press('m')
  expect(await reader.page.getByRole('button', { name: 'Move Shelving' }).count()).toBe(0)
  expect(await reader.page.getByRole('menu').count()).toBe(0)
  expect([...member.problems, ...reader.problems]).toEqual([])
})

test('cards follow what others do, filters of the list hold, and more cards come when they are asked for', async () => {
  const { organization, ids } = await deals(Array.from({ length: 53 }, (_, number) => `Deal ${number}`))
  const { page, open, problems } = await given.person(organization)
  await open(address)
  await card(page, 'Deal 0').first().waitFor()
  expect(await titlesIn(page, 'New')).toHaveLength(50)
  await stage(page, 'New').getByRole('button', { name: 'More' }).click()
  await expect.poll(() => titlesIn(page, 'New')).toHaveLength(53)
  await page.getByText('Live').waitFor()
  const move = { expectedVersion: 1, stageUuid: organization.stages.won }
  await organization.client.patch(`/deals/${ids[52]}/move`, move)
  await expect.poll(() => titlesIn(page, 'Won')).toEqual(['Deal 52'])
  expect(await titlesIn(page, 'New')).toHaveLength(52)

  await page.getByRole('searchbox', { name: 'Search' }).fill('Deal 52')
  await expect.poll(() => titlesIn(page, 'New')).toEqual([])
  expect(await titlesIn(page, 'Won')).toEqual(['Deal 52'])
  expect(new URL(page.url()).search).toBe('?search=Deal+52&view=board')
  await page.getByRole('button', { name: 'List' }).click()
  const link = page.getByRole('grid', { name: 'Deals' }).getByRole('link', { name: 'Deal 52' })
  await link.waitFor()

  // The list keeps its filters while the page of a record is loaded.
  const reads: string[] = []
  page.on('request', request => reads.push(request.url()))
  await page.setViewportSize({ width: 700, height: 800 })
  await link.click()
  await page.getByRole('heading', { name: 'Deal 52', level: 1 }).waitFor()
  expect(reads.filter(url => /\/crm\/deals\?(?!search)/u.test(url))).toEqual([])
  expect(problems).toEqual([])
})
