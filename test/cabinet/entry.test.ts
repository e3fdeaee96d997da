import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { memberRoles } from '../../server/src/kernel/auth/index.ts'
import { isScope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Row, statement } from '../../server/src/kernel/sql/index.ts'
import { cabinetOperations, operations } from '../../server/src/modules.ts'
import { permissionsOf } from '../../server/src/people/index.ts'
import { createToken } from '../../server/src/settings/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import type { Browser, CabinetAnswer } from '../support/browser.ts'
import { aContact, aTask } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { openLive } from './support/live-stream.ts'

type Role = Parameters<typeof aMembership>[3]

const clock = new TestClock()
let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
  organization = await anOrganization(api)
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

const read = (name: string, text: string, values: readonly unknown[]): Promise<Row[]> =>
  api.test.database.query(statement(`test_entry_${name}`, text), values)

interface Person {
  readonly browser: Browser
  readonly userId: string
  readonly operatorId: string
}

async function aPerson(role: Role = 'member', within = organization): Promise<Person> {
  const user = await aUser(api)
  const operatorId = await aMembership(api, user, within.id, role)
  return { browser: await aSignedInBrowser(api, user), userId: user.id, operatorId }
}

const at = (path: string, { id } = organization) => `/o/${id}${path}`

/** A write with an idempotency key. */
const keyed = (key: string = randomUUID()) => ({ headers: { 'idempotency-key': key } })

const create = (browser: Browser, body: JsonObject = aContact(), key?: string): Promise<CabinetAnswer> =>
  browser.post(at('/crm/contacts'), body, keyed(key))

test('a member reads and writes records like an application, and is the author', async () => {
  const { browser, operatorId } = await aPerson()
  const made = await create(browser)
  expect(made.status).toBe(201)
  expect(made.data).toMatchObject({ createdByUuid: operatorId })
  const shown = await browser.get(at(`/crm/contacts/${String(made.data.id)}`))
  expect([shown.status, shown.data.id]).toEqual([200, made.data.id])
  expect(shown.headers['cache-control']).toBe('no-store')
  const [entry] = await read(
    'audit',
    `select entry, token_id, actor_type, actor_uuid, a.kind
       from audit_entries e join applications a on a.organization_id = e.organization_id and a.id = e.application_id
      where e.organization_id = $1 and e.resource_id = $2`,
    [organization.id, made.data.id],
  )
  expect(entry).toEqual({
    entry: 'cabinet',
    token_id: null,
    actor_type: 'user',
    actor_uuid: operatorId,
    kind: 'cabinet',
  })
})

test('what a token writes has no entry in the audit log', async () => {
  const made = await organization.client.post('/contacts', aContact())
  const rows = await read(
    'audit_of_token',
    'select entry from audit_entries where organization_id = $1 and resource_id = $2',
    [organization.id, made.data.id],
  )
  expect(rows).toEqual([{ entry: null }])
})

test('channels and AI agents keep their own envelope in the cabinet', async () => {
  const { browser } = await aPerson()
  const channels = await browser.get(at('/external/channels'))
  expect([channels.status, JSON.parse(channels.text)]).toMatchObject([200, { status: 'OK' }])
  expect((await browser.get(at('/ai-agents/external/agents'))).status).toBe(200)
})

test('another organization, none, and a lost membership look like a route that does not exist', async () => {
  const { browser, operatorId } = await aPerson('owner')
  const other = await anOrganization(api)
  await aPerson('owner', other)
  const missing = await browser.get(at('/crm/nothing'))
  expect(missing.status).toBe(404)
  const same = async (path: string) => {
    const answer = await browser.get(path)
    expect({ ...answer.error, requestId: '' }).toEqual({ ...missing.error, requestId: '' })
    expect([answer.status, answer.items, answer.data]).toEqual([404, [], {}])
  }
  for (const path of ['/crm/contacts', '/crm/capabilities', '/settings/tags', '/members']) {
    await same(`/o/${other.id}${path}`)
    for (const id of [randomUUID(), 'x', '%20', 'undefined', 'null', '..']) await same(`/o/${id}${path}`)
    await same(`/o/${path}`)
    await same(`/o//${path}`)
  }
  expect((await browser.get(at('/crm/contacts'))).status).toBe(200)
  await read('lose', 'delete from memberships where organization_id = $1 and id = $2', [organization.id, operatorId])
  await peopleChange()
  await same(at('/crm/contacts'))
})

/** As whatever changes people does; waits until the server knows. */
async function peopleChange(): Promise<void> {
  await read('raise', 'update installation set people_generation = people_generation + 1', [])
  await new Promise(resolve => setTimeout(resolve, 900))
}

test('who is not signed in gets 401, whatever token is sent', async () => {
  const { browser } = await aPerson()
  browser.cookies.clear()
  for (const headers of [
    {},
    { authorization: `Bearer ${organization.client.token}` },
    { 'x-api-token': organization.client.token },
  ])
    expect(await browser.get(at('/crm/contacts'), { headers })).toMatchObject({
      status: 401,
      error: { code: 'not_signed_in' },
    })
})

test('a session is no credential of the API', async () => {
  const { browser } = await aPerson('owner')
  expect(await browser.get('/api/v1/crm/contacts')).toMatchObject({ status: 401, error: { code: 'invalid_token' } })
})

test('a write needs the origin of the pages and their header', async () => {
  const { browser } = await aPerson()
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: undefined },
    { 'x-crm-cabinet': undefined },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    const answer = await browser.post(at('/crm/contacts'), aContact(), { headers: { ...keyed().headers, ...headers } })
    expect([answer.status, answer.error.code]).toEqual([403, 'wrong_origin'])
  }
})

test('a cursor is good at the entry that gave it alone', async () => {
  const { browser } = await aPerson()
  await create(browser)
  await create(browser)
  const cursorOf = (text: string) => String(JSON.parse(text).meta.nextCursor)
  const ofCabinet = cursorOf((await browser.get(at('/crm/contacts?limit=1'))).text)
  const ofApi = String((await organization.client.get('/contacts?limit=1')).meta.nextCursor)
  expect((await browser.get(at(`/crm/contacts?limit=1&cursor=${ofCabinet}`))).status).toBe(200)
  expect((await organization.client.get(`/contacts?limit=1&cursor=${ofApi}`)).status).toBe(200)
  const there = await browser.get(at(`/crm/contacts?limit=1&cursor=${ofApi}`))
  const here = await organization.client.get(`/contacts?limit=1&cursor=${ofCabinet}`)
  expect([there.error.code, here.error.code]).toEqual(['invalid_cursor', 'invalid_cursor'])
  const feed = String((await organization.client.get('/changes/cursor')).data.cursor)
  expect((await browser.get(at(`/crm/changes?after=${feed}`))).error.code).toBe('invalid_cursor')
})

test('the keys of two users do not meet, and a repetition gets the first answer', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const key = randomUUID()
  const { externalId: _, ...body } = aContact()
  const first = await create(one.browser, body, key)
  const again = await create(one.browser, body, key)
  expect([again.status, again.data.id, again.headers['idempotent-replayed']]).toEqual([201, first.data.id, 'true'])
  const ofOther = await create(other.browser, body, key)
  expect([ofOther.status, ofOther.headers['idempotent-replayed']]).toEqual([201, undefined])
  expect(ofOther.data.id).not.toBe(first.data.id)
  const [row] = await read('key', 'select key from idempotency_answers where organization_id = $1 and key like $2', [
    organization.id,
    `${one.userId}:%`,
  ])
  expect(row).toEqual({ key: `${one.userId}:${key}` })
})

test('rates count by user: 1,200 reads and 240 writes a minute', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const read = await one.browser.get(at('/crm/contacts?limit=1'))
  const written = await create(one.browser)
  expect([read.headers['ratelimit-limit'], written.headers['ratelimit-limit']]).toEqual(['1200', '240'])
  expect((await other.browser.get(at('/crm/contacts?limit=1'))).headers['ratelimit-remaining']).toBe('1199')
  for (let sent = 1; sent < 240; sent += 1) await one.browser.post(at('/crm/contacts'), {}, { raw: '{' })
  const beyond = await create(one.browser)
  expect([beyond.status, beyond.error.code]).toEqual([429, 'rate_limit_exceeded'])
  expect((await create(other.browser)).status).toBe(201)
})

test('users take turns in the queue of writes, each like an application', async () => {
  const [one, other] = [await aPerson('member'), await aPerson('member')]
  const enter = vi.spyOn(api.services.groupQueues, 'enter')
  onTestFinished(() => enter.mockRestore())
  for (const { browser } of [one, other, one]) expect((await create(browser)).status).toBe(201)
  expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
  const clients = enter.mock.calls.map(([, { client }]) => client)
  expect(clients).toEqual([one.operatorId, other.operatorId, one.operatorId, organization.applicationId])
})

test('a role lost while a request waits ends the wait with a refusal', async () => {
  const { browser, operatorId } = await aPerson('member')
  const cursor = String((await browser.get(at('/crm/changes/cursor'))).data.cursor)
  const waiting = browser.get(at(`/crm/changes?after=${cursor}&wait=20&resourceTypes=contact`))
  await read('leave', 'delete from memberships where organization_id = $1 and id = $2', [organization.id, operatorId])
  await peopleChange()
  await organization.client.post('/contacts', aContact())
  expect((await waiting).status).toBe(404)
})

test('a session is not used by a request that waits', async () => {
  const { browser } = await aPerson('member')
  const cursor = String((await browser.get(at('/crm/changes/cursor'))).data.cursor)
  const waiting = browser.get(at(`/crm/changes?after=${cursor}&wait=20&resourceTypes=contact`))
  await expect.poll(() => api.services.admission.usage().processRequests).toBeGreaterThan(0)
  clock.advance(11 * 3_600_000)
  await organization.client.post('/contacts', aContact())
  expect((await waiting).status).toBe(200)
  clock.advance(2 * 3_600_000)
  expect((await browser.get(at('/crm/contacts'))).status).toBe(401)
})

test('a session is not used by a page that follows the changes, and has not been used meanwhile', async () => {
  const { browser } = await aPerson('member')
  expect((await browser.get(at('/crm/contacts'))).status).toBe(200)
  clock.advance(11 * 3_600_000)
  const stream = await openLive(api, organization.id, browser)
  expect(stream.status).toBe(200)
  stream.close()
  clock.advance(2 * 3_600_000)
  expect((await openLive(api, organization.id, browser)).status).toBe(401)
})

test('a role lost by who follows the changes ends the stream', async () => {
  const [{ browser, operatorId }, other] = [await aPerson('member'), await aPerson('member')]
  const [stream, kept] = [
    await openLive(api, organization.id, browser),
    await openLive(api, organization.id, other.browser),
  ]
  await read('demote', `update memberships set role = 'read_only' where organization_id = $1 and id = $2`, [
    organization.id,
    operatorId,
  ])
  await peopleChange()
  await stream.untilClosed()
  await organization.client.post('/contacts', aContact())
  await kept.until(1)
  expect([stream.changes, kept.isClosed]).toEqual([[], false])
  kept.close()
})

test('no token can be given a right of people', async () => {
  const all = memberRoles.flatMap(role => [
    ...permissionsOf(role, { membersSeeContactData: true, membersSeeAmounts: true, managersManageIntegrations: true }),
  ])
  const ofPeople = [...new Set(all)].filter(permission => !isScope(permission))
  expect(ofPeople.length).toBe(5)
  for (const right of ofPeople)
    await expect(
      createToken(api.test, {
        organizationId: organization.id,
        applicationId: organization.applicationId,
        name: 'Mighty',
        scopes: [right],
      }),
    ).rejects.toThrow('no such scope')
})

test('capabilities tell a user of the session and of the rights of the role', async () => {
  const { browser } = await aPerson('read_only')
  const { data } = await browser.get(at('/crm/capabilities'))
  expect(data).toMatchObject({ rateLimits: { read: { limit: 1200, key: 'user' }, write: { limit: 240, key: 'user' } } })
  expect(JSON.stringify(data.token)).not.toContain('_write')
})

test('erasures, exports, secrets, new tokens and changes of members need a fresh sign-in', () => {
  const needing = [...operations, ...cabinetOperations].filter(({ needsFreshSignIn }) => needsFreshSignIn)
  expect(needing.map(({ id }) => id).toSorted()).toEqual([
    'apiIntegrations.create',
    'apiIntegrations.update',
    'contacts.deleteCommit',
    'contacts.remove',
    'exports.create',
    'members.invite',
    'members.remove',
    'members.update',
    'settings.tokens.create',
    'settings.tokens.rotate',
    'settings.webhooks.create',
    'settings.webhooks.move',
    'settings.webhooks.rotate',
  ])
})

test('an erasure and an export need a fresh sign-in, and tokens need none', async () => {
  const { browser } = await aPerson('owner')
  const [first, second] = [await create(browser), await create(browser)]
  const later = async () => {
    const path = ({ data }: CabinetAnswer) => at(`/crm/contacts/${String(data.id)}`)
    const answers = [
      await browser.delete(`${path(first)}?expectedVersion=1`, keyed()),
      await browser.post(`${path(second)}/delete/commit`, { mode: 'full', expectedVersion: 1 }, keyed()),
      await browser.post(at('/crm/exports'), { type: 'contacts' }, keyed()),
    ]
    return answers.map(({ status, error }) => error.code ?? status)
  }
  clock.advance(600_000)
  expect(await later()).toEqual(Array(3).fill('fresh_sign_in_required'))
  clock.advance(-600_000)
  expect(await later()).toEqual([200, 200, 202])
  expect((await organization.client.post('/exports', { type: 'contacts' })).status).toBe(202)
})

test('a job that the list shows can be opened, whatever application has asked for it, and the file of an export downloaded', async () => {
  const other = await anOrganization(api)
  const task = await other.client.post('/tasks', aTask({ externalId: 'T-1' }))
  const targets = [{ id: task.data.id, expectedVersion: 7 }]
  const changes = { entityType: 'task', action: 'update', targets, changes: { status: 'done' } }
  const asked = [
    await other.client.post('/bulk-jobs', changes),
    await other.client.post('/exports', { type: 'contacts' }),
  ]
  expect(asked.map(({ status }) => status)).toEqual([202, 202])
  await runJobs(api)
  const [owner, manager] = [await aPerson('owner', other), await aPerson('manager', other)]
  const paths: Readonly<Record<string, string>> = { bulk_job: 'bulk-jobs', export: 'exports' }
  const openAll = async ({ browser }: Person) => {
    const { items } = await browser.get(at('/jobs', other))
    const opened = items.map(({ type, id }) => browser.get(at(`/crm/${paths[String(type)]}/${String(id)}`, other)))
    return Promise.all(opened)
  }
  const [exported, ...others] = await openAll(owner)
  expect([exported?.status, ...others.map(({ status }) => status)]).toEqual([200, 200])
  expect(others[0]?.data.errors).toMatchObject([{ target: { externalId: 'T-1' }, code: 'version_conflict' }])
  expect((await openAll(manager)).map(({ status }) => status)).toEqual([200])
  const hidden = await manager.browser.get(at(`/crm/exports/${String(asked[1]?.data.id)}`, other))
  expect(hidden.status).toBe(404)

  const download = async () => (await fetch(String(exported?.data.downloadUrl))).status
  expect(await download()).toBe(200)
  const demote = `update memberships set role = 'member' where organization_id = $1 and id = $2`
  await read('demote_owner', demote, [other.id, owner.operatorId])
  expect(await download()).toBe(404)
})

test('exports are shown to who started them and to owners, and a link ends with the role', async () => {
  const [one, other, owner] = [await aPerson('manager'), await aPerson('manager'), await aPerson('owner')]
  const { data } = await one.browser.post(at('/crm/exports'), { type: 'contacts' }, keyed())
  const seen = async ({ browser }: Person) => {
    const [list, single] = [
      await browser.get(at('/crm/exports')),
      await browser.get(at(`/crm/exports/${String(data.id)}`)),
    ]
    return [list.items.some(({ id }) => id === data.id), single.status]
  }
  expect([await seen(one), await seen(other), await seen(owner)]).toEqual([
    [true, 200],
    [false, 404],
    [true, 200],
  ])
  const [row] = await read(
    'export',
    'select token_id, started_by from exports where organization_id = $1 and id = $2',
    [organization.id, data.id],
  )
  expect(row).toEqual({ token_id: null, started_by: one.operatorId })
})
