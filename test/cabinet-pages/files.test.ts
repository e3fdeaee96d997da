import { Buffer } from 'node:buffer'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCompany } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

/** A picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Drops files of the disk where the page says that they can be dropped. */
async function dropFiles(page: Page, files: readonly string[]): Promise<void> {
  const box = await page.getByText('Drop files here, or choose them.').last().boundingBox()
  if (box === null) throw new Error('there is no place to drop files')
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: box.x + 5, y: box.y + 5, data })
  await session.detach()
}

/** An organization with a company. */
async function aCompanyOf() {
  const organization = await given.organization()
  const { client } = organization
  const { data } = await client.post('/companies', aCompany({ name: 'Mills' }))
  const path = `/companies/${String(data.id)}`
  const files = async () => (await client.get(`${path}/files`)).items
  return { organization, client, path, files }
}

test('files are chosen, shown with size and author, opened, downloaded and deleted', async () => {
  const { organization, path, files } = await aCompanyOf()
  const { page, open, expectClean, close } = await given.person(organization)
  await open(path)
  await page.getByText('Drop files here, or choose them.').last().waitFor()
  await expectClean()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).focus()
  await page.keyboard.press('Enter')
  await (await chooser).setFiles([
    { name: 'plan.png', mimeType: 'image/png', buffer: picture },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('two lots') },
  ])
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await row('plan.png').getByText(`${picture.length} byte · Una Berg`).waitFor()
  await row('notes.txt').waitFor()
  await expectClean()

  await page.getByRole('button', { name: 'plan.png', exact: true }).focus()
  await page.keyboard.press('Enter')
  const image = page.getByRole('dialog', { name: 'plan.png' }).getByRole('img', { name: 'plan.png' })
  await image.waitFor()
  expect(await image.evaluate(element => ('naturalWidth' in element ? element.naturalWidth : 0))).toBe(1)
  await expectClean()
  await page.keyboard.press('Escape')
  expect(await row('notes.txt').getByRole('button', { name: 'notes.txt', exact: true }).count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download notes.txt' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe('two lots')

  await page.getByRole('button', { name: 'Delete notes.txt' }).click()
  await page.getByText('This cannot be undone.').waitFor()
  await expectClean()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await row('notes.txt').waitFor({ state: 'detached' })
  expect((await files()).map(({ name }) => name)).toEqual(['plan.png'])
  await close()
})

test('dropped files are saved although others changed the record, and what the server does not take is named', async () => {
  const { organization, client, path, files } = await aCompanyOf()
  const { page, open, expectClean, close } = await given.person(organization)
  await open(path)
  await page.getByText('Drop files here, or choose them.').last().waitFor()
  await client.patch(path, { expectedVersion: 1, industry: 'Food' })
  const [notes, large] = ['notes.txt', 'large.bin'].map(name => join(folder, name))
  await writeFile(String(notes), 'two lots')
  await writeFile(String(large), Buffer.alloc(10 * 1024 * 1024 + 1))
  await dropFiles(page, [String(notes), String(large)])
  await page.getByRole('alert').getByText('Larger than the server takes.').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'notes.txt' }).waitFor()
  expect((await files()).map(({ name }) => name)).toEqual(['notes.txt'])
  await expectClean()
  await close()
})

test('a member who only reads opens files, and can neither add nor delete any', async () => {
  const { organization, path } = await aCompanyOf()
  const owner = await given.person(organization)
  await owner.open(path)
  const chooser = owner.page.waitForEvent('filechooser')
  await owner.page.getByRole('button', { name: 'Add files' }).click()
  await (await chooser).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('two lots') })
  await owner.page.getByRole('link', { name: 'Download notes.txt' }).waitFor()
  await owner.close()
  const { page, open, expectClean, close } = await given.person(organization, { role: 'read_only' })
  await open(path)
  await page.getByRole('link', { name: 'Download notes.txt' }).waitFor()
  expect(await page.getByRole('button', { name: 'Add files' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Delete notes.txt' }).count()).toBe(0)
  await expectClean()
  await close()
})

/** What waits until it is opened. */
function aGate() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Holds the requests that bring files until the test lets them go. */
async function holdUploads(page: Page) {
  const held: (() => void)[] = []
  let isHeld = true
  const seen = aGate()
  await page.route('**/companies/*/files?expectedVersion=*', async route => {
    if (route.request().method() === 'POST' && isHeld) {
      seen.open()
      await new Promise<void>(resolve => held.push(resolve))
    }
    await route.continue().catch(() => {})
  })
  return {
    seen: seen.opened,
    letGo: () => {
      isHeld = false
      for (const go of held) go()
    },
  }
}

async function chooseFiles(page: Page, names: readonly string[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).click()
  const files = names.map(name => ({ name, mimeType: 'text/plain', buffer: Buffer.from('two lots') }))
  await (await chooser).setFiles(files)
}

test('files dropped while others are sent go after them, also when one leaves the record; a deletion does not wait', async () => {
  const { organization, path, files } = await aCompanyOf()
  const { page, open, close } = await given.person(organization)
  await open(path)
  await page.getByText('Drop files here, or choose them.').last().waitFor()
  await chooseFiles(page, ['old.txt'])
  await page.getByRole('link', { name: 'Download old.txt' }).waitFor()
  const uploads = await holdUploads(page)
  await chooseFiles(page, ['first.txt'])
  await uploads.seen
  await chooseFiles(page, ['second.txt'])
  await page.getByText('Sending 2 files').first().waitFor()

  await page.getByRole('button', { name: 'Delete old.txt' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Download old.txt' }).waitFor({ state: 'detached' })
  const add = page.getByRole('button', { name: 'Add files' })
  await expect.poll(() => add.evaluate(button => button === button.ownerDocument.activeElement)).toBe(true)
  expect(await files()).toEqual([])

  await page.getByRole('link', { name: 'Companies' }).first().click()
  await page.getByRole('link', { name: 'Mills' }).click()
  await page.getByText('Sending 2 files').first().waitFor()
  uploads.letGo()
  await page.getByRole('link', { name: 'Download second.txt' }).waitFor()
  expect((await files()).map(({ name }) => name).toSorted()).toEqual(['first.txt', 'second.txt'])
  await close()
})

test('uploads that are stopped before they are sent send nothing, and name the files', async () => {
  const { organization, path, files } = await aCompanyOf()
  const { page, open, close } = await given.person(organization)
  await open(path)
  await page.getByText('Drop files here, or choose them.').last().waitFor()
  let posts = 0
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().includes('/files?')) posts += 1
  })
  const read = aGate()
  const go = aGate()
  await page.route('**/crm/companies/*', async route => {
    read.open()
    await go.opened
    await route.continue().catch(() => {})
  })
  await chooseFiles(page, ['notes.txt'])
  await read.opened
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('alert').getByText('Not sent.').waitFor()
  go.open()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  expect([posts, await files()]).toEqual([0, []])
  await close()
})
