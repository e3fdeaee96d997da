import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact } from '../support/builders.ts'
import { startWorker } from '../support/jobs.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

/** Runs jobs until the test has ended; none may fail. */
function aWorker() {
  const worker = startWorker(given.api())
  onTestFinished(async () => {
    await worker.stop()
    expect(worker.failures).toEqual([])
  })
}

/** Chooses a file on the page of a new import. */
async function chooseFile(page: Page, content: string | Buffer, name = 'kunden.csv', button = 'Choose a file') {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).click()
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** The step that the page is at. */
const isAt = (page: Page, step: string) => page.locator('[aria-current="step"]').getByText(step).waitFor()

/** The level-one heading has the focus, so that the keyboard goes on from there. */
async function expectFocusOnHeading(page: Page) {
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
}

/** Chooses one of the values of a select. */
async function choose(page: Page, label: string, value: string) {
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('option', { name: value, exact: true }).click()
}

test('a file with semicolons in Windows-1252, whose companies are missing, is checked, imported and undone', async () => {
  const organization = await given.organization()
  const { client } = organization
  await client.post('/companies', aCompany({ name: 'Mills' }))
  aWorker()
  const { page, open, expectClean, close } = await given.person(organization)
  await open('/contacts')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  await heading(page, 'Import contacts').waitFor()
  await expectClean()
  const rows = ['Nachname;E-Mail;Firma', 'Müller;mueller@example.com;Mills', 'Groß;gross@example.com;Bäckerei Süß']
  await chooseFile(page, Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1'))

  await isAt(page, 'Columns')
  await page.getByText('Müller · Groß').waitFor()
  await page.getByText('One company is not there').waitFor()
  await page.getByText('Created and linked').waitFor()
  await page.getByRole('button', { name: 'Encoding' }).getByText('windows-1252').waitFor()
  await page.getByRole('button', { name: 'Divided by' }).getByText('Semicolon').waitFor()
  await expectClean()
  await page.getByRole('button', { name: 'Check', exact: true }).click()

  await page.getByText('Checked: every row can be imported. Nothing is written yet.').waitFor()
  await expectClean()
  expect((await client.get('/contacts')).items).toEqual([])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await isAt(page, 'Result')
  await page.getByText('Imported.').waitFor()
  await expectFocusOnHeading(page)
  await expectClean()
  const names = async (path: string, member: string) =>
    (await client.get(path)).items.map(record => record[member]).toSorted()
  expect(await names('/contacts', 'lastName')).toEqual(['Groß', 'Müller'])
  expect(await names('/companies', 'name')).toEqual(['Bäckerei Süß', 'Mills'])

  await page.getByRole('button', { name: 'Undo the import' }).click()
  await page.getByRole('alertdialog').getByText('This is possible until').waitFor()
  await expectClean()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The import is undone.').waitFor()
  await expectFocusOnHeading(page)
  await expectClean()
  expect([await names('/contacts', 'lastName'), await names('/companies', 'name')]).toEqual([[], ['Mills']])
  expect(await page.getByRole('button', { name: 'Undo the import' }).count()).toBe(0)
  await close()
})

test('a reload loses neither the choices nor the place in line, and without a worker the page says so at once', async () => {
  const organization = await given.organization()
  const { page, open, expectClean, close } = await given.person(organization)
  await open('/imports/new?kind=companies')
  await heading(page, 'Import companies').waitFor()
  await chooseFile(page, 'Name,Remark\nMills,first\n')
  await isAt(page, 'Columns')
  await choose(page, 'Field for Remark', 'Description')
  await choose(page, 'The record is there already', 'Skip the row')
  await page.reload()
  await isAt(page, 'Columns')
  await page.getByRole('button', { name: 'Field for Remark' }).getByText('Description').waitFor()
  await page.getByRole('button', { name: 'The record is there already' }).getByText('Skip the row').waitFor()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('alert').getByText('No worker runs on the server').waitFor()
  await expectClean()
  await page.reload()
  await isAt(page, 'Check')
  await page.getByRole('alert').getByText('No worker runs on the server').waitFor()
  aWorker()
  await page.getByText('Checked: every row can be imported.').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Imported.').waitFor()
  await page.reload()
  await isAt(page, 'Result')
  expect((await organization.client.get('/companies')).items).toMatchObject([{ name: 'Mills', description: 'first' }])

  await open('/imports/new?kind=companies')
  await chooseFile(page, 'Name,Remark\nBakery,second\n', 'more.csv')
  await page.getByText('Set as for kunden.csv, which had the same columns.').waitFor()
  await page.getByRole('button', { name: 'Field for Remark' }).getByText('Description').waitFor()
  await close()
})

test('a file that is no table says what to do, the next one is taken, and a refusal and a cancellation lead on', async () => {
  const organization = await given.organization()
  const { page, open, expectClean, close } = await given.person(organization)
  await open('/imports/new?kind=contacts')
  await chooseFile(page, Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n', 'latin1'), 'offer.pdf')
  await page.getByRole('alert').getByText('This file is no table. Save the table as CSV').waitFor()
  await expectClean()
  await page.route('**/setup', route =>
    route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'Forbidden', details: {} } } }),
  )
  await chooseFile(page, 'Last name\nPetrova\n')
  await isAt(page, 'Columns')
  await page.getByRole('alert').waitFor()
  await page.unroute('**/setup')
  await page.reload()
  await page.getByRole('button', { name: 'Field for Last name' }).waitFor()

  await open('/jobs')
  const row = page.getByRole('row').filter({ hasText: 'Import contacts' })
  await row.getByText('Not started').waitFor()
  await row.getByRole('button', { name: 'Cancel Import contacts' }).click()
  await row.getByText('Canceled').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  await expectClean()
  await close()
})

test('a check shows the errors by the rows of the file, and the columns are changed after it', async () => {
  const organization = await given.organization()
  aWorker()
  const { page, open, expectClean, close } = await given.person(organization)
  await open('/imports/new?kind=contacts')
  await chooseFile(page, 'Last name,Birth date\nPetrova,1990-02-01\nOkafor,spring\n')
  await isAt(page, 'Columns')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('Checked: one row would be refused. Nothing is written yet.').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Row 3' })
  await row.getByText('This is no value of the field').waitFor()
  await row.getByText('spring').waitFor()
  await expectClean()
  await page.getByRole('button', { name: 'Change the columns' }).click()
  await choose(page, 'A cell cannot be read', 'Leave it out')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('Checked: every row can be imported.').waitFor()
  await page.getByText('The cell is left out').waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Imported, with errors.').waitFor()
  expect((await organization.client.get('/contacts')).items).toHaveLength(2)
  await close()
})

test('a list is exported after the password, waits in the list of jobs, and is downloaded', async () => {
  const organization = await given.organization()
  await organization.client.post('/contacts', aContact({ lastName: 'Petrova' }))
  const { user, page, open, expectClean, close } = await given.person(organization)
  await given.api().test.database.query(makeStale, [user.id])
  await open('/contacts?search=nobody')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByText('Exports do not know Search').waitFor()
  await expectClean()
  await dialog.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('textbox', { name: 'Password' }).fill('seven green boats')
  await page.keyboard.press('Enter')
  await heading(page, 'Jobs').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Export contacts' })
  await row.getByText('Waiting').waitFor()
  await page.getByRole('alert').getByText('No worker runs on the server').waitFor()
  await expectClean()
  await open('/companies')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Cancel Export companies' }).click()
  await page.getByRole('row').filter({ hasText: 'Export companies' }).getByText('Failed').waitFor()
  aWorker()
  const download = page.waitForEvent('download')
  await row.getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain('Petrova')
  await expectClean()

  await close()
})

const makeStale = statement(
  'test_make_sessions_stale',
  `update sessions set fresh_at = fresh_at - interval '1 hour' where user_id = $1`,
)
const setGerman = statement('test_set_german', `update users set locale = 'de' where id = $1`)

test('a role without imports sees no button, and the address says why; small dark pages are in order, in German too', async () => {
  const organization = await given.organization()
  const member = await given.person(organization, { role: 'member' })
  await member.open('/contacts')
  await member.page.getByRole('button', { name: 'New contact' }).first().waitFor()
  expect(await member.page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
  expect(await member.page.getByRole('link', { name: 'Jobs' }).count()).toBe(0)
  await member.open('/imports/new?kind=contacts')
  await member.page.getByText('Your role cannot import files.').waitFor()
  expect(await member.page.getByRole('button', { name: 'Choose a file' }).count()).toBe(0)
  await member.expectClean()
  await member.close()

  const narrow = { colorScheme: 'dark', viewport: { width: 375, height: 720 } } as const
  const { user, page, open, expectClean, close } = await given.person(organization, narrow)
  await given.api().test.database.query(setGerman, [user.id])
  const expectGerman = async () => {
    expect(await untranslated(page, 'de', ['Last name', 'Birth date'])).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    await expectClean()
  }
  await open('/jobs')
  await page.getByText('Noch keine Aufträge.').waitFor()
  await expectGerman()
  await open('/imports/new?kind=contacts')
  await page.getByRole('button', { name: 'Datei wählen' }).waitFor()
  await expectGerman()
  await chooseFile(page, 'Last name,Birth date\nPetrova,1990-02-01\nOkafor,spring\n', 'people.csv', 'Datei wählen')
  await page.getByRole('button', { name: 'Feld für Birth date' }).waitFor()
  await expectGerman()
  aWorker()
  await page.getByRole('button', { name: 'Prüfen', exact: true }).click()
  await page.getByText('Kein Wert dieses Feldes').waitFor()
  await expectGerman()
  await page.getByRole('button', { name: 'Starten', exact: true }).click()
  await page.getByText('Importiert, mit Fehlern.').waitFor()
  await expectGerman()
  await open('/jobs')
  await page.getByText('Kontakte importieren').waitFor()
  await expectGerman()
  await close()
})
