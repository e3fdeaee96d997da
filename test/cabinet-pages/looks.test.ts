import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** An organization with a record of each kind, linked with each other. */
async function records(): Promise<{ organization: TestOrganization; ids: Readonly<Record<string, unknown>> }> {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact({ firstName: 'Anna', lastName: 'Petrova' }))
  const company = await client.post('/companies', aCompany({ name: 'Mills' }))
  const deal = await client.post('/deals', aDeal({ title: 'Shelving', contacts: [{ id: contact.data.id }] }))
  const task = await client.post('/tasks', aTask({ title: 'Call', contact: { id: contact.data.id } }))
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
    await close()
  },
)

const setLocale = statement('test_set_locale', 'update users set locale = $2 where id = $1')

test.for([
  ['en', 'Contacts', 'First name'],
  ['de', 'Kontakte', 'Vorname'],
  ['ru', 'Контакты', 'Имя'],
] as const)(
  'a narrow window shows lists and records without scrolling sideways, in %s',
  async ([locale, title, label]) => {
    const { organization, ids } = await records()
    const person = await given.person(organization, { viewport: { width: 375, height: 720 } })
    await given.api().test.database.query(setLocale, [person.user.id, locale])
    for (const path of ['/contacts', `/contacts/${String(ids.contacts)}`]) {
      const page = await person.open(path)
      await page.getByText('Petrova Anna').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
      expect(await page.locator('nav').first().innerText()).toContain(title)
      await person.expectClean()
    }
    await person.page.getByText(label, { exact: true }).waitFor()
    await person.close()
  },
)
