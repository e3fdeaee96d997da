import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

/** An organization with a record of each kind, linked with each other. */
async function records(): Promise<{ organization: TestOrganization; ids: Readonly<Record<string, unknown>> }> {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const company = await client.post('/companies', aCompany({ name: 'Mills' }))
  const deal = await client.post('/deals', aDeal({ title: 'Shelving', contacts: [{ id: contact.data.id }] }))
  const task = await client.post('/tasks', aTask({ title: 'Ring up', contact: { id: contact.data.id } }))
  const ids = { contacts: contact.data.id, companies: company.data.id, deals: deal.data.id, tasks: task.data.id }
  return { organization, ids }
}

test.for(['light', 'dark'] as const)(
  'axe finds nothing in the lists, records and forms of %s pages',
  async colorScheme => {
    const { organization, ids } = await records()
    const { open, expectClean, close } = await given.person(organization, { colorScheme })
    for (const [kind, id] of Object.entries(ids)) {
      const page = await open(`/${kind}`)
      await page.getByRole('grid').getByRole('link').waitFor()
      await expectClean()
      await page.keyboard.press('c')
      await page.getByRole('dialog').waitFor()
      await expectClean()
      await open(`/${kind}/${String(id)}`)
      await page.getByRole('heading', { name: 'Details' }).waitFor()
      await expectClean()
    }
    const page = await open('/deals?view=board')
    await page.getByRole('row', { name: 'Shelving' }).focus()
    await expectClean()
    await page.keyboard.press('m')
    await page.getByRole('menu').waitFor()
    await expectClean()
    await close()
  },
)

test.for([
  ['in forced colours', { forcedColors: 'active' }, 1280],
  ['at 200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, 640],
  ['at 375 px', { viewport: { width: 375, height: 720 } }, 375],
] as const)('lists, records and a form can be read %s, without scrolling sideways', async ([, options, width]) => {
  const { organization, ids } = await records()
  const { open, expectClean, close } = await given.person(organization, options)
  for (const [kind, id] of Object.entries(ids)) {
    const page = await open(`/${kind}`)
    await page.getByRole('grid').getByRole('link').waitFor()
    await expectClean()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await open(`/${kind}/${String(id)}`)
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    await expectClean()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    if (kind !== 'deals') continue
    await page.keyboard.press('e')
    await page.getByRole('dialog').waitFor()
    await expectClean()
  }
  const page = await open('/deals?view=board')
  await page.getByRole('row', { name: 'Shelving' }).waitFor()
  await expectClean()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  await close()
})

test.for([
  ['in forced colours', { forcedColors: 'active', viewport: { width: 1600, height: 900 } }],
  ['at 200 % zoom', { viewport: { width: 1360, height: 700 }, deviceScaleFactor: 2 }],
] as const)(
  'the panel beside a list and the dialogs above it can be read %s, without scrolling sideways',
  async ([, options]) => {
    const { organization, ids } = await records()
    const { page, open, expectClean, close } = await given.person(organization, options)
    await open(`/deals?priority=high&open=${String(ids.deals)}`)
    const panel = page.getByRole('region', { name: 'Shelving' })
    await panel.getByRole('heading', { name: 'Details' }).waitFor()
    const expectReadable = async () => {
      await expectClean()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(options.viewport.width)
    }
    await expectReadable()
    const chosen = (name: string) => page.getByRole('menuitem', { name }).click()
    const dialogs: readonly (readonly [string, () => Promise<void>])[] = [
      ['dialog', () => page.keyboard.press('e')],
      ['dialog', () => page.keyboard.press('?')],
      ['dialog', () => page.keyboard.press('Control+k')],
      [
        'dialog',
        () =>
          panel
            .getByRole('button', { name: 'New', exact: true })
            .click()
            .then(() => chosen('Lost')),
      ],
      [
        'alertdialog',
        () =>
          panel
            .getByRole('button', { name: 'More', exact: true })
            .click()
            .then(() => chosen('Delete')),
      ],
    ]
    for (const [role, openDialog] of dialogs) {
      await openDialog()
      await page.locator(`[role="${role}"]`).waitFor()
      await expectReadable()
      await page.keyboard.press('Escape')
      await page.locator(`[role="${role}"]`).waitFor({ state: 'detached' })
    }
    await close()
  },
)

const setLocale = statement('test_set_locale', 'update users set locale = $2 where id = $1')

test.for([
  ['de', 'Kontakte', 'Vorname'],
  ['ru', 'Контакты', 'Имя'],
] as const)(
  'lists, records, forms, filters and the palette say no word in English, in %s',
  async ([locale, title, label]) => {
    const { organization, ids } = await records()
    const { user, page, open, problems, close } = await given.person(organization)
    await given.api().test.database.query(setLocale, [user.id, locale])
    const stages = ['Won', 'Lost']
    const expectTranslated = async (what: string) => expect(await untranslated(page, locale, stages), what).toEqual([])
    for (const [kind, id] of Object.entries(ids)) {
      await open(`/${kind}`)
      await page.getByRole('grid').getByRole('link').waitFor()
      await expectTranslated(kind)
      await page.keyboard.press('c')
      await page.getByRole('dialog').waitFor()
      await expectTranslated(`a form of ${kind}`)
      await open(`/${kind}/${String(id)}`)
      await page.locator('#details').waitFor()
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click()
        await expectTranslated(`a record of ${kind}`)
      }
    }
    await open('/deals?view=board')
    await page.getByRole('row', { name: 'Shelving' }).focus()
    await page.keyboard.press('m')
    await page.getByRole('menu').waitFor()
    await expectTranslated('the board')
    await open('/deals?priority=high')
    await page.locator('.toolbar [aria-haspopup]').click()
    await page.getByRole('menuitem').first().click()
    await page.getByRole('dialog').waitFor()
    await expectTranslated('a filter')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await expectTranslated('the palette')
    await page.keyboard.press('Escape')
    // Words are longer than in English.
    await page.setViewportSize({ width: 375, height: 720 })
    for (const path of ['/contacts', `/contacts/${String(ids.contacts)}`]) {
      await open(path)
      await page.getByText('Petrova Anna').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
      expect(await page.locator('nav').first().innerText()).toContain(title)
    }
    await page.getByText(label, { exact: true }).waitFor()
    expect(problems).toEqual([])
    await close()
  },
)
