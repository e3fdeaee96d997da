import { createServer, type IncomingMessage, type Server, type ServerResponse, request as sendOn } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Crm, CrmError, Forbidden, KeyConflict, NotFound, VersionConflict } from '../../packages/sdk/src/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
let organization: TestOrganization
let crm: Crm

/** The client with an immediate second attempt. */
const clientOf = (url: string, token: string) => new Crm({ url, token, random: () => 0 })

beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
  crm = clientOf(api.url, organization.client.token)
})
afterAll(() => api?.close())

const unresolved = (promise: PromiseLike<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a record is created, read, changed and removed', async () => {
  const { data, meta, requestId } = await crm.tasks.create({ title: 'Order chairs' }).withResponse()
  expect({ meta, version: data.version }).toEqual({ meta: {}, version: 1 })
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/u)
  expect(await crm.tasks.get(data.id)).toMatchObject({ title: 'Order chairs', version: 1 })
  expect(await crm.tasks.update(data.id, { expectedVersion: 1, title: 'Chairs' })).toMatchObject({ version: 2 })
  expect(await crm.tasks.remove(data.id, { expectedVersion: 2 })).toEqual({ id: data.id, deleted: true })
  expect(NotFound.is(await unresolved(crm.tasks.get(data.id)))).toBe(true)
})

test('a list is walked over all its pages', async () => {
  const made: string[] = []
  for (let index = 0; index < 7; index++) made.unshift((await crm.companies.create({ name: `Company ${index}` })).id)
  const found: string[] = []
  for await (const { id } of crm.companies.list({ limit: 3 })) found.push(id)
  expect(found).toEqual(made)
  const sizes: number[] = []
  for await (const { data } of crm.companies.list({ limit: 3 }).pages()) sizes.push(data.length)
  expect(sizes).toEqual([3, 3, 1])
  expect((await crm.companies.list({ limit: 2 })).data.map(({ id }) => id)).toEqual(made.slice(0, 2))
})

test('refusals have the classes of their codes', async () => {
  const { id } = await crm.contacts.create({ firstName: 'Ada' }, { idempotencyKey: 'sdk-ada' })
  const conflict = await unresolved(crm.contacts.update(id, { expectedVersion: 5, firstName: 'Grace' }))
  expect(VersionConflict.is(conflict) && conflict.currentVersion).toBe(1)
  const used = await unresolved(crm.contacts.create({ firstName: 'Grace' }, { idempotencyKey: 'sdk-ada' }))
  expect(KeyConflict.is(used) && Date.parse(used.firstUsedAt)).toBeGreaterThan(0)
  const reader = clientOf(api.url, (await organization.token(['crm_deals_read'])).token)
  const forbidden = await unresolved(reader.contacts.get(id))
  expect(Forbidden.is(forbidden) && forbidden.scopes).toEqual(['crm_contacts_read'])
  const malformed = await unresolved(crm.contacts.list({ limit: 0 }))
  expect(CrmError.is(malformed) && [malformed.code, malformed.status]).toEqual(['validation_error', 400])
})

/** Passes requests on to the server, and closes the connection of the first one when its answer has come. */
async function cutting(): Promise<{ readonly server: Server; readonly url: string; readonly keys: unknown[] }> {
  const keys: unknown[] = []
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const isFirst = keys.push(request.headers['idempotency-key']) === 1
    const { method, headers } = request
    const onward = sendOn(new URL(request.url ?? '', api.url), { method, headers }, answer => {
      if (isFirst) answer.resume().on('end', () => request.socket.destroy())
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))
    })
    request.pipe(onward)
  }
  const server = createServer(pass)
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server.address())))
  })
  return { server, url: `http://127.0.0.1:${port}`, keys }
}

const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : 0

test('a write whose answer is lost is made once, and its answer comes with the second attempt', async () => {
  const { server, url, keys } = await cutting()
  try {
    const externalId = 'made-once'
    const created = await clientOf(url, organization.client.token)
      .contacts.create({ firstName: 'Grace', externalId })
      .withResponse()
    expect(created.response.headers.get('idempotent-replayed')).toBe('true')
    expect(keys).toEqual([expect.any(String), keys[0]])
    expect((await crm.contacts.list({ externalId })).data).toMatchObject([{ id: created.data.id, version: 1 }])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
