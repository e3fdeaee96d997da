import { expect, test } from 'vitest'
import { demoClient } from '../process/support/installations.ts'
import { useProcesses } from '../support/process.ts'
import { openTab } from './support/tabs.ts'

const processes = useProcesses()

test('the link that a first start prints lets a person in who, with the keyboard alone, finds a contact by a mistyped name, corrects it, sees who changed it before, undoes it, and signs out', async () => {
  const folder = await processes.dataDirectory()
  const terminal = processes.startInTerminal(['serve'], { CRM_DATA_DIR: folder, PORT: '0' })
  const [, link = '', url = ''] = await terminal.printed(/^ +((http:\S+)\/cabinet\/enter#\S+)/mu)
  await terminal.printed(/^CRM server ready/mu)
  const client = await demoClient({ url }, folder)
  const [contact] = (await client.get('/contacts?search=Kowalska')).items
  await client.patch(`/contacts/${String(contact?.id)}`, { expectedVersion: contact?.version, jobTitle: 'Buyer' })
  const { page, problems, close } = await openTab(url)
  const { keyboard } = page

  await page.goto(link)
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.getByRole('grid', { name: 'Contacts' }).waitFor()

  await keyboard.press('/')
  await keyboard.type('Kowalsky')
  await page.getByText('Nothing is written like “Kowalsky”').waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowRight')
  await keyboard.press('Enter')
  await keyboard.press('Control+A')
  await keyboard.type('Chief executive')
  await keyboard.press('Enter')
  await page.getByText('Saved: Kowalska Nina').waitFor()
  const job = async () => (await client.get(`/contacts/${String(contact?.id)}`)).data.jobTitle
  expect(await job()).toBe('Chief executive')

  await keyboard.press('Home')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Kowalska Nina', level: 1 }).waitFor()
  await page.getByText('Olivia Grant changed').waitFor()
  expect(await page.getByRole('tabpanel').innerText()).toMatch(
    /Olivia Grant changed[\s\S]*Buyer[\s\S]*Chief executive[\s\S]*changed[\s\S]*Managing director[\s\S]*Buyer/u,
  )

  await keyboard.press('Control+Z')
  await expect.poll(job).toBe('Buyer')

  const account = page.getByRole('button', { name: 'Account' }).and(page.locator(':focus'))
  for (let presses = 0; presses < 60 && (await account.count()) === 0; presses += 1) await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  await page.getByLabel('Password').waitFor()
  // The link was for one time.
  await page.goto(link)
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  expect(problems).toEqual([])
  await close()
})
