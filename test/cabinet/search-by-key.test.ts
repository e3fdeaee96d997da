import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { aCompany, aContact } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { setBound } from '../support/set-bound.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase() })
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

/** A contact and a company that two applications have under the key `A-1042`, and contacts in whose names it stands. */
async function anOrganizationWithKeys() {
  const organization = await anOrganization(api)
  const other = await organization.application()
  const post = async (path: string, body: JsonObject, by = organization.client) => {
    const { status, data } = await by.post(path, body)
    expect(status).toBe(201)
    return String(data.id)
  }
  const contact = await post('/contacts', aContact({ externalId: 'A-1042', lastName: 'Keyed' }))
  const company = await post('/companies', aCompany({ externalId: 'A-1042', name: 'Mills' }), other.client)
  const both = await post('/contacts', aContact({ externalId: 'A-1042', lastName: 'A-1042' }), other.client)
  const named: string[] = []
  for (const lastName of ['A-1042', 'A-1042 Smith', 'A-10425'])
    named.push(await post('/contacts', aContact({ lastName })))
  const user = await aUser(api)
  await aMembership(api, user, organization.id, 'member')
  return { organization, contact, company, both, named, browser: await aSignedInBrowser(api, user) }
}

const idsIn = (items: readonly JsonObject[]) => items.map(({ id }) => id)

async function listed(browser: Browser, { id }: TestOrganization, path: string) {
  const { status, items } = await browser.get(`/o/${id}/crm${path}`)
  expect(status).toBe(200)
  return items
}

test('a user finds what any application has under an external id, before what has it in its texts, and each once', async () => {
  const { organization, contact, company, both, named, browser } = await anOrganizationWithKeys()
  const found = await listed(browser, organization, '/search?q=A-1042')
  expect(new Set(idsIn(found.slice(0, 3)))).toEqual(new Set([contact, company, both]))
  expect(found.slice(0, 3).map(({ matchedFields }) => matchedFields)).toEqual(
    [0, 1, 2].map(() => expect.arrayContaining(['externalId'])),
  )
  expect(found.find(({ id }) => id === company)).toMatchObject({ snippet: 'A-1042', matchedFields: ['externalId'] })
  expect(new Set(idsIn(found.slice(3)))).toEqual(new Set(named))
  expect(found).toHaveLength(6)

  const inPages: unknown[] = []
  let cursor = ''
  do {
    const { items, text } = await browser.get(`/o/${organization.id}/crm/search?q=A-1042&limit=1${cursor}`)
    inPages.push(...idsIn(items))
    const next: unknown = JSON.parse(text).meta.nextCursor
    cursor = next === null ? '' : `&cursor=${String(next)}`
  } while (cursor !== '')
  expect(inPages).toEqual(idsIn(found))
  expect(idsIn(await listed(browser, organization, '/search?q=A-1042&types=company'))).toEqual([company])
  expect(await listed(browser, organization, '/search?q=A-104')).not.toContainEqual(
    expect.objectContaining({ id: company }),
  )
})

test('similar records and records with some of the words show none that was found by its key once more', async () => {
  const organization = await anOrganization(api)
  const keyed = await organization.client.post(
    '/contacts',
    aContact({ externalId: 'petrova marie', lastName: 'Petrova' }),
  )
  const similar = await organization.client.post('/contacts', aContact({ firstName: 'Maria', lastName: 'Petrova' }))
  const user = await aUser(api)
  await aMembership(api, user, organization.id, 'member')
  const found = await listed(await aSignedInBrowser(api, user), organization, '/search?q=petrova%20marie')
  expect(idsIn(found)).toEqual([keyed.data.id, similar.data.id])
})

test('a list, its filters and its counts find records by external ids, too', async () => {
  const { organization, contact, both, named, browser } = await anOrganizationWithKeys()
  const all = new Set([contact, both, ...named])
  expect(new Set(idsIn(await listed(browser, organization, '/contacts?search=A-1042')))).toEqual(all)
  expect(new Set(idsIn(await listed(browser, organization, '/contacts?search=A-1042&sort=name')))).toEqual(all)
  expect((await browser.get(`/o/${organization.id}/counts/contacts?search=A-1042`)).data).toMatchObject({ count: 5 })
  expect(await listed(browser, organization, '/companies?search=A-1042')).toHaveLength(1)
})

test('a record whose external id looks like a phone number does not hide those that only contain it', async () => {
  const { organization, browser } = await anOrganizationWithKeys()
  const keyed = (await organization.client.post('/contacts', aContact({ externalId: '4912345' }))).data.id
  const contactData = { phones: [{ value: '+49 123 456 78' }], emails: [], addresses: [], messengers: [] }
  const called = (await organization.client.post('/contacts', aContact({ contactData }))).data.id
  const both = new Set([keyed, called])
  expect(new Set(idsIn(await listed(browser, organization, '/contacts?search=4912345')))).toEqual(both)
  expect(new Set(idsIn(await listed(browser, organization, '/contacts?search=4912345&sort=name')))).toEqual(both)
})

test('an external id of one letter leads a list, however many records are newer, and no page shows a record twice', async () => {
  setBound(bounds.searchScan, 2)
  setBound(bounds.listScan, 2)
  setBound(bounds.listScatteredScan, 2)
  const organization = await anOrganization(api)
  const other = await organization.application()
  const make = async (lastName: string, more: JsonObject = {}, by = organization.client) =>
    String((await by.post('/contacts', aContact({ firstName: null, lastName, ...more }))).data.id)
  const old = await make('Unlike', { externalId: '7' })
  const both = await make('Agent 7', { externalId: '7' }, other.client)
  const named: string[] = []
  for (const lastName of ['7 Up', 'Brown', 'Green', 'Seven 7', 'White', 'Black']) {
    const id = await make(lastName)
    if (lastName.includes('7')) named.push(id)
  }
  const user = await aUser(api)
  await aMembership(api, user, organization.id, 'member')
  const browser = await aSignedInBrowser(api, user)
  for (const [sort, keyed, others] of [
    ['', [both, old], named.toReversed()],
    ['&sort=name', [both, old], named],
  ] as const) {
    const first = await listed(browser, organization, `/contacts?search=7${sort}`)
    expect(idsIn(first.slice(0, 2))).toEqual(keyed)
    for (const limit of [1, 2, 3]) {
      const inPages: unknown[] = []
      let cursor = ''
      do {
        const path = `/o/${organization.id}/crm/contacts?search=7${sort}&limit=${limit}${cursor}`
        const { items, text } = await browser.get(path)
        inPages.push(...idsIn(items))
        const next: unknown = JSON.parse(text).meta.nextCursor
        cursor = next === null ? '' : `&cursor=${String(next)}`
      } while (cursor !== '')
      expect(inPages).toEqual([...keyed, ...others])
    }
  }
  expect(idsIn((await organization.client.get('/contacts?search=7&limit=100')).items)).not.toContain(old)
})

test('a token finds nothing by an external id that stands in no text', async () => {
  const { organization, contact, company, named, both } = await anOrganizationWithKeys()
  const { client } = organization
  const found = idsIn((await client.get('/search?q=A-1042')).items)
  expect(new Set(found)).toEqual(new Set([both, ...named]))
  expect([found.includes(contact), found.includes(company)]).toEqual([false, false])
  expect(idsIn((await client.get('/contacts?search=A-1042')).items)).not.toContain(contact)
  expect((await client.get('/contacts?search=A-1042&sort=name')).items).toHaveLength(4)
})

test('a user of another organization finds nothing', async () => {
  await anOrganizationWithKeys()
  const other = await anOrganization(api)
  const user = await aUser(api)
  await aMembership(api, user, other.id, 'owner')
  expect(await listed(await aSignedInBrowser(api, user), other, '/search?q=A-1042')).toEqual([])
})
