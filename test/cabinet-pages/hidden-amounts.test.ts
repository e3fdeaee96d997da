import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContact, aDeal } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

const hideAmounts = statement('test_hide_amounts', 'update organizations set members_see_amounts = false where id = $1')

test('a member who may not see amounts finds none in the pages, in what they are sent, or in the stream', async () => {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact())
  const parties = { contacts: [{ id: contact.data.id }] }
  const { data } = await client.post('/deals', aDeal({ ...parties, title: 'Shelving', amount: '48151.62' }))
  await client.patch(`/deals/${data.id}`, { expectedVersion: 1, amount: '34238.15' })
  await given.api().test.database.query(hideAmounts, [organization.id])
  const { page, open, problems } = await given.person(organization, { role: 'member' })
  const sent: string[] = []
  page.on('response', response => {
    if (response.headers()['content-type']?.startsWith('application/json')) {
      void response.text().then(
        text => sent.push(text),
        () => {},
      )
    }
  })
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.eventSourceMessageReceived', ({ data: message }) => sent.push(message))

  await open('/deals')
  await page.getByRole('link', { name: 'Shelving' }).waitFor()
  expect(await page.getByRole('grid').innerText()).toContain('Hidden')
  await page.getByRole('link', { name: 'Shelving' }).click()
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  await page.getByText('Timeline').waitFor()
  await client.patch(`/deals/${data.id}`, { expectedVersion: 2, amount: '48151.69' })
  await expect.poll(() => sent.some(text => text.includes('"changedFields"'))).toBe(true)
  await page.getByRole('button', { name: 'Hidden' }).first().click()
  await page.getByText('It needs the right crm_amounts_read.').waitFor()
  const html = await page.content()
  const digits = /48[.,\s\u202f]?151|34[.,\s\u202f]?238/u
  expect([html, ...sent].filter(text => digits.test(text))).toEqual([])
  expect(problems).toEqual([])
})
