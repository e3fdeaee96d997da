import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, type Entry, enter, type Operation, Refusal, refuse, run } from '../../server/src/kernel/index.ts'
import { operations } from '../../server/src/modules.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

// Another way in than HTTP has a caller and a value at hand, and passes the same gates.

/** A tool of an agent, which shows its token and calls an operation with a value. */
const tool: Entry<{ readonly token: string }> = {
  prefix: '/mcp',
  authenticate: async ({ token }, { authentication }) =>
    (await authentication.authenticate(token, '127.0.0.1')) ?? refuse('invalid_token'),
  rateBucket: ({ method }) => (method === 'GET' ? 'read' : 'write'),
  headers: () => ({}),
}

let api: TestApi
let organization: TestOrganization
let caller: Caller
beforeAll(async () => {
  // Rates are counted by the minutes of a clock.
  api = await startApi({ clock: new TestClock() })
  organization = await anOrganization(api, { rates: 20 })
  const found = await tool.authenticate(organization.client, api.services, create)
  if (found instanceof Refusal) throw new Error('the token is good')
  caller = found
})
afterAll(async () => {
  await api.close()
  expect(api.failures).toEqual([])
})

const operationOf = (id: string): Operation => {
  const found = operations.find(operation => operation.id === id)
  if (found === undefined) throw new Error(`there is no operation ${id}`)
  return found
}

const aKey = (): string => randomUUID()

/** Calls an operation with a value instead of a body, as a tool of an agent does. */
async function callOf(operation: Operation, sent: unknown, { as = caller, key = aKey() } = {}) {
  const headers = tool.headers(operation)
  const requestId = randomUUID()
  const whenGone = () => () => {}
  const request = { query: {}, requestId, clientRequestId: null, lastEventId: null, address: '127.0.0.1' }
  const waiting = { whenGone, whenLeft: whenGone, waited() {}, authenticateAgain: async () => as }
  const arrival = { ...request, ...waiting, rateBucket: tool.rateBucket(operation), headers }
  const lease = await enter(operation, as, arrival, api.services)
  if (lease instanceof Refusal) return { outcome: lease, headers }
  try {
    const body = { sent, issues: [], count: 0, bytes: 0 }
    const outcome = await run(lease, { path: {}, query: {}, idempotencyKey: key, body }, api.services)
    return { outcome, headers }
  } finally {
    lease.admitted.end()
  }
}

const create = operationOf('contacts.create')
const asContact = { firstName: 'Anna', externalId: 'A-1' }

test('a write without HTTP is decided, stored under its key and replayed like one with it', async () => {
  const key = randomUUID()
  const { outcome } = await callOf(create, asContact, { key })
  expect(outcome).toMatchObject({ status: 201, data: { firstName: 'Anna', externalId: 'A-1' } })
  const { outcome: again } = await callOf(create, asContact, { key })
  expect(again).toMatchObject({ status: 201, replayed: true })
  const overHttp = await organization.client.post('/contacts', asContact, { key })
  expect([overHttp.status, overHttp.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
})

test('a write without HTTP is refused by the same gates: scopes, form, and values in its body', async () => {
  expect(await tool.authenticate({ token: 'unknown' }, api.services, create)).toMatchObject({ status: 401 })
  const without = (scope: string) => ({ ...caller, scopes: new Set([...caller.scopes].filter(each => each !== scope)) })
  const refusals = await Promise.all([
    callOf(create, asContact, { as: without('crm_contacts_write') }),
    callOf(create, { firstname: 'Anna' }),
    callOf(create, { firstName: 'Anna', customFields: {} }, { as: without('crm_custom_fields_manage') }),
    callOf(create, asContact),
  ])
  expect(refusals.map(({ outcome }) => (outcome instanceof Refusal ? [outcome.status, outcome.code] : []))).toEqual([
    [403, 'insufficient_scope'],
    [400, 'validation_error'],
    [403, 'insufficient_scope'],
    [409, 'external_id_conflict'],
  ])
})

test('a request without HTTP counts against the rate limit of its owner, and holds its place until it ends', async () => {
  const before = api.services.admission.usage().processRequests
  const rated = { ...caller, rate: { owner: randomUUID(), read: 1, write: 1 } }
  const first = await callOf(create, { firstName: 'Berta' }, { as: rated })
  const second = await callOf(create, { firstName: 'Clara' }, { as: rated })
  expect([first.headers['RateLimit-Remaining'], second.headers['RateLimit-Remaining']]).toEqual(['0', '0'])
  expect([first.outcome, second.outcome]).toMatchObject([{ status: 201 }, { status: 429 }])
  expect(api.services.admission.usage().processRequests).toBe(before)
})
