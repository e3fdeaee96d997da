import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anIntegration } from '../conformance/support/integrations.ts'
import { aBase, readFile } from '../knowledge/support/knowledge.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { aContact } from '../support/builders.ts'
import { aCalledTlsServer } from '../support/called-server.ts'
import { objectOf } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

let api: TestApi
let organization: TestOrganization
let owner: Browser
/** An owner of another organization. */
let stranger: Browser
beforeAll(async () => {
  api = await startApi({ outboundAllowedNetworks: ['127.0.0.0/8'] })
  organization = await anOrganization(api)
  owner = (await aMember('owner')).browser
  const other = await anOrganization(api)
  stranger = (await aMember('owner', other)).browser
  elsewhere = (path: string) => `/o/${other.id}${path}`
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

const at = (path: string) => `/o/${organization.id}${path}`
/** The same path below the organization of the stranger. */
let elsewhere: (path: string) => string

async function aMember(role: Parameters<typeof aMembership>[3], within = organization) {
  const user = await aUser(api)
  const id = await aMembership(api, user, within.id, role)
  return { user, id, browser: await aSignedInBrowser(api, user) }
}

describe('channels are administered', () => {
  const path = (id?: unknown) => `/settings/channels${id === undefined ? '' : `/${String(id)}`}`

  test('by who may manage them, without versions, as the API has none of them', async () => {
    const made = await owner.post(at(path()), { type: 'telegram', name: 'Shop' })
    expect([made.status, made.data]).toMatchObject([201, { type: 'telegram', name: 'Shop', status: 'active' }])
    const { id } = made.data
    const changed = await owner.patch(at(path(id)), { name: 'Shop on Telegram', status: 'disabled' })
    expect([changed.status, changed.data]).toMatchObject([200, { id, name: 'Shop on Telegram', status: 'disabled' }])
    expect((await owner.get(at(path()))).items.map(channel => channel.id)).toContain(id)
    expect((await owner.post(at(path()), { type: 'pigeon', name: 'Shop' })).status).toBe(400)
    const { browser } = await aMember('member')
    expect((await browser.get(at(path(id)))).data.name).toBe('Shop on Telegram')
    expect((await browser.delete(at(path(id)))).details.missingScopes).toEqual(['channels_manage'])
    for (const answer of [
      await stranger.get(elsewhere(path(id))),
      await stranger.patch(elsewhere(path(id)), { name: 'Mine' }),
      await stranger.delete(elsewhere(path(id))),
    ])
      expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
    expect((await owner.delete(at(path(id)))).data).toEqual({ id, deleted: true })
    expect((await owner.patch(at(path(id)), { name: 'Gone' })).status).toBe(404)
  })
})

describe('an API integration is tested', () => {
  const testOf = (id: unknown) => `/api-integrations/${String(id)}/test`

  test('once, with its parameters, and the answer of a network of the operator is not shown', async () => {
    const server = await aCalledTlsServer(['crm.test'], (_request, response) => response.writeHead(201).end('inside'))
    Reflect.set(api.services.outbound, 'authorities', server.certificate)
    Reflect.set(api.services.outbound, 'lookup', async () => [{ address: '127.0.0.1', family: 4 }])
    const { id } = await anIntegration(organization, { url: `https://crm.test:${server.port}/orders/{orderNumber}` })
    const tested = await owner.post(at(testOf(id)), { parameters: { orderNumber: 'A 7' } })
    expect([tested.status, tested.data]).toMatchObject([200, { status: 201, headers: null, body: null, isCut: false }])
    expect(tested.data.url).toBe(`https://crm.test:${server.port}/orders/A%207`)
    expect(tested.text).not.toContain('inside')
    const wrong = await owner.post(at(testOf(id)), { parameters: { order: 1 } })
    expect([wrong.status, wrong.error.code]).toEqual([422, 'validation_error'])
    expect(server.received).toHaveLength(1)
    expect((await stranger.post(elsewhere(testOf(id)))).status).toBe(404)
  })

  test('and says why no answer came', async () => {
    const { id } = await anIntegration(organization, {
      url: 'https://10.0.0.1/',
      parameters: [],
      auth: { type: 'none' },
    })
    const refused = await owner.post(at(testOf(id)))
    expect([refused.status, refused.details.issues]).toMatchObject([
      422,
      [{ rule: 'call', message: expect.stringContaining('10.0.0.1 is no public address') }],
    ])
  })
})

test('a question finds passages of a knowledge base, as agents are told them', async () => {
  const base = await aBase(organization.client)
  const content = 'Parcels leave on the same day.\n\nGoods may come back for thirty days.'
  await readFile(api, organization.client, { base, id: 'f', name: 'a.txt', content })
  const path = `/knowledge-bases/${base}/passages?question=How%20many%20days%20for%20goods`
  const { browser } = await aMember('read_only')
  const found = await browser.get(at(`${path}&limit=1`))
  expect([found.status, found.items]).toMatchObject([200, [{ fileId: 'f', fileName: 'a.txt', position: 0 }]])
  expect((await owner.get(at(`/knowledge-bases/${base}/passages`))).status).toBe(400)
  expect((await owner.get(at(`${path}&limit=51`))).status).toBe(400)
  expect((await stranger.get(elsewhere(path))).status).toBe(404)
})

test('usage tells what the organization has, and the requests of its own applications', async () => {
  expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
  const searches = vi.spyOn(api.services.database, 'search')
  const { data } = await owner.get(at('/settings/usage?since=2026-01-01'))
  expect(searches, 'counts take no place from the searches of colleagues').not.toHaveBeenCalled()
  searches.mockRestore()
  expect(data).toMatchObject({ since: '2026-01-01', records: { contacts: 1 }, jobs: { exports: 0 } })
  expect(data.applications).toMatchObject([{ id: organization.applicationId, refusals: expect.any(Number) }])
  const other = (await stranger.get(elsewhere('/settings/usage'))).data
  expect(other).toMatchObject({ records: { contacts: 0 } })
  expect((await owner.get(at('/settings/usage?since=yesterday'))).status).toBe(400)
  const { retention } = api.services
  expect((await owner.get(at('/settings/retention'))).data).toEqual(retention)
})

test('an owner reads the audit of settings, and nobody else does', async () => {
  const asked = { applicationId: organization.applicationId, name: 'Audited', scopes: ['crm_search'] }
  const made = await owner.post(at('/settings/tokens'), asked)
  const path = '/crm/audit?resourceType=token&limit=1'
  const [entry] = (await owner.get(at(path))).items
  expect(entry).toMatchObject({ action: 'token.created', actorType: 'user' })
  expect((await owner.get(at('/crm/audit?limit=1'))).items).toEqual([entry])
  expect(JSON.stringify(entry)).not.toContain(String(made.data.token).slice(-20))
  const request = await owner.get(at(`/requests/${String(entry?.requestId)}`))
  expect(request.data.entries).toMatchObject([{ action: 'token.created' }])
  const { browser: manager } = await aMember('manager')
  expect((await manager.get(at(path))).items).toEqual([])
  expect((await manager.get(at(`/requests/${String(entry?.requestId)}`))).status).toBe(404)
  expect((await organization.client.get('/audit?resourceType=token')).items).toEqual([])
  expect((await stranger.get(elsewhere(path))).items).not.toContainEqual(expect.objectContaining({ id: entry?.id }))
})

test('an owner sees how members sign in, page by page, from the day on which they became members; a manager sees none of it', async () => {
  const { user, id } = await aMember('member')
  const before = await aUser(api)
  await new Browser(api).signIn(before.email, testPassword)
  const member = await aMembership(api, before, organization.id, 'member')
  await new Browser(api).signIn(user.email, 'a wrong password')
  await new Browser(api).signIn(user.email, testPassword)
  const told: unknown[] = []
  let cursor = ''
  do {
    const { items, text } = await owner.get(at(`/sign-ins?limit=1${cursor}`))
    told.push(...items.filter(({ memberId }) => [id, member].includes(String(memberId))).map(({ event }) => event))
    const { nextCursor } = objectOf(objectOf(JSON.parse(text)).meta)
    cursor = nextCursor === null ? '' : `&cursor=${String(nextCursor)}`
  } while (cursor !== '')
  expect(told).toEqual(['signed_in', 'sign_in_failed'])
  const listed = async (by: Browser) => new Map((await by.get(at('/members'))).items.map(each => [each.id, each]))
  const seen = await listed(owner)
  expect(seen.get(id)).toMatchObject({ version: 1, lastSignInAt: expect.any(String) })
  expect(seen.get(member)).toMatchObject({ version: 1, lastSignInAt: null })
  const { browser: manager } = await aMember('manager')
  expect((await listed(manager)).get(id)).toMatchObject({ lastSignInAt: null })
  expect((await manager.get(at('/sign-ins'))).details.missingScopes).toEqual(['audit_all'])
  expect((await stranger.get(elsewhere('/sign-ins'))).items).toEqual([])
})
