import { type IDataObject, NodeApiError, NodeError } from 'n8n-workflow'
import { afterEach, expect, test } from 'vitest'
import { Crm } from '../../packages/n8n-nodes-crm/nodes/Crm/Crm.node.ts'
import type { Exchange } from '../../packages/sdk/scenarios/scenario.ts'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { executing, type Run } from './stand-ins.ts'

let server: ScriptedServer | undefined
afterEach(() => server?.stop())

const contacts = '/api/v1/crm/contacts'
const answering = (status: number, json: unknown, headers = {}): Exchange => ({
  request: { method: '', target: '' },
  answer: { status, json, headers },
})
const created = answering(201, { data: { id: 'c1', version: 1 } })
const create = { resource: 'contacts', operation: 'create', additionalFields: { firstName: 'Anna' } }

async function serve(...exchanges: readonly Exchange[]): Promise<ScriptedServer> {
  server = await ScriptedServer.start(exchanges, () => {})
  return server
}

async function execute(run: Omit<Run, 'url'>) {
  const [results = []] = await new Crm().execute.call(executing({ ...run, url: `${server?.url}/` }))
  return results
}

const bodies = () => server?.received.map(({ body }) => (body.length === 0 ? null : JSON.parse(body.toString())))
const targets = () => server?.received.map(({ method, target }) => `${method} ${target}`)
const keys = () => server?.received.map(({ headers }) => headers['idempotency-key'])

test('a contact is created from the fields of the node, with the token of the credential', async () => {
  await serve(created)
  const additionalFields = {
    firstName: 'Anna',
    jobTitle: '',
    contactDataEmails: {
      rows: [
        { value: 'anna@example.com', label: 'work' },
        { value: 'a@example.com', label: '' },
      ],
    },
    customFields: '{"region": "north"}',
  }
  const results = await execute({ parameters: { ...create, additionalFields } })
  expect(results).toEqual([{ json: { id: 'c1', version: 1 }, pairedItem: { item: 0 } }])
  expect(targets()).toEqual([`POST ${contacts}`])
  expect(bodies()).toEqual([
    {
      firstName: 'Anna',
      jobTitle: null,
      contactData: { emails: [{ value: 'anna@example.com', label: 'work' }, { value: 'a@example.com' }] },
      customFields: { region: 'north' },
    },
  ])
  expect(server?.received[0]?.headers).toMatchObject({ authorization: 'Bearer crm_token', 'x-credential': 'crmApi' })
})

test('an upsert names its record by externalId, and overwrites unless told', async () => {
  await serve(answering(200, { data: { id: 'c1', version: 3 } }))
  const parameters = {
    resource: 'contacts',
    operation: 'upsert',
    externalId: 'A-1',
    overwrite: true,
    additionalFields: {},
  }
  await execute({ parameters })
  expect(targets()).toEqual([`POST ${contacts}/upsert?overwrite=true`])
  expect(bodies()).toEqual([{ externalId: 'A-1' }])
})

test('an update sends the version that it expects, and a member of a reference', async () => {
  await serve(answering(200, { data: { id: 't/1', version: 5 } }))
  const additionalFields = { dealExternalId: 'D-1', status: 'done' }
  await execute({
    parameters: { resource: 'tasks', operation: 'update', id: 't/1', expectedVersion: 4, additionalFields },
  })
  expect(targets()).toEqual(['PATCH /api/v1/crm/tasks/t%2F1'])
  expect(bodies()).toEqual([{ expectedVersion: 4, deal: { externalId: 'D-1' }, status: 'done' }])
})

test('a list is read to its end by cursors, with filters on every page', async () => {
  const page = (ids: readonly string[], nextCursor: string | null) =>
    answering(200, { data: ids.map(id => ({ id })), meta: { nextCursor } })
  await serve(page(['c1', 'c2'], 'n/1'), page([], 'n2'), page(['c3'], null))
  const options = { tagIds: ['t1', 't2'], customField: '{"region": "north"}' }
  const results = await execute({ parameters: { resource: 'contacts', operation: 'list', returnAll: true, options } })
  expect(results.map(({ json }) => json.id)).toEqual(['c1', 'c2', 'c3'])
  const query = 'tagIds=t1&tagIds=t2&customField.region=north&limit=100'
  expect(targets()).toEqual(['', '&cursor=n%2F1', '&cursor=n2'].map(cursor => `GET ${contacts}?${query}${cursor}`))
  expect(keys()).toEqual([undefined, undefined, undefined])
})

test('a list with a limit reads no page beyond it', async () => {
  const data = Array.from({ length: 100 }, (_, index) => ({ id: `c${index}` }))
  await serve(
    answering(200, { data, meta: { nextCursor: 'n1' } }),
    answering(200, { data: [{ id: 'last' }], meta: { nextCursor: 'n2' } }),
  )
  const results = await execute({ parameters: { resource: 'contacts', operation: 'list', limit: 101 } })
  expect([results.length, results.at(-1)?.json]).toEqual([101, { id: 'last' }])
  expect(targets()).toEqual([`GET ${contacts}?limit=100`, `GET ${contacts}?limit=1&cursor=n1`])
})

test('a repetition within the execution sends the same keys, and every item, run and execution has others', async () => {
  await serve(...Array.from({ length: 8 }, () => created))
  const items = [{}, {}]
  await execute({ parameters: create, items })
  await execute({ parameters: create, items })
  await execute({ parameters: create, runIndex: 1 })
  await execute({ parameters: create, executionId: '8' })
  const [one, other, again, otherAgain, ...others] = keys() ?? []
  expect([again, otherAgain]).toEqual([one, other])
  expect(new Set([one, other, ...others]).size).toBe(4)
  expect(one).toMatch(/^n8n-[0-9a-f]{64}$/u)
})

test('an agent that calls the node as its tool with other values sends another key', async () => {
  await serve(...Array.from({ length: 3 }, () => created))
  const type = 'n8n-nodes-crm.crmTool'
  const call = (firstName: string) => execute({ parameters: { ...create, additionalFields: { firstName } }, type })
  await call('Anna')
  await call('Anna')
  await call('Boris')
  const [one, again, other] = keys() ?? []
  expect([again === one, other === one]).toEqual([true, false])
})

test('a conflict ends the execution with the code and message of the API, and what is wrong below', async () => {
  const error = {
    code: 'version_conflict',
    message: 'Somebody has changed it.',
    requestId: 'r1',
    details: { currentVersion: 5 },
  }
  await serve(answering(409, { error }))
  const failing = execute({ parameters: { ...create, operation: 'remove', id: 'c1', expectedVersion: 4 } })
  const failure = await failing.catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(NodeApiError)
  expect(failure).toMatchObject({
    message: 'version_conflict: Somebody has changed it.',
    description: '{"currentVersion":5}\nRequest r1',
    httpCode: '409',
    context: { itemIndex: 0 },
  })
  expect(targets()).toEqual([`DELETE ${contacts}/c1?expectedVersion=4`])
})

test('an execution that goes on after failures tells them beside the results', async () => {
  const issues = [{ path: 'body.firstName', message: 'is too long' }]
  const error = { code: 'validation_error', message: 'The request is malformed.', details: { issues } }
  await serve(answering(400, { error }), created)
  const results = await execute({
    parameters: create,
    items: [{}, {}, { additionalFields: { customFields: '{' } }],
    continueOnFail: true,
  })
  expect(results.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }])
  expect(results[0]?.json).toEqual({
    error: 'validation_error: The request is malformed.',
    code: 'validation_error',
    status: 400,
    description: 'body.firstName: is too long',
  })
  expect(results[1]?.json).toEqual({ id: 'c1', version: 1 })
  expect(results[2]?.json).toHaveProperty('error')
  // What n8n sends to the error output.
  expect(results.map(({ error: failure }) => failure instanceof NodeError)).toEqual([true, false, true])
})

test('a server that asks for a short rest gets the same request again, five times at most', async () => {
  const busy = answering(429, { error: { code: 'rate_limit_exceeded', message: 'Too many.' } }, { 'retry-after': '0' })
  await serve(busy, busy, created)
  expect(await execute({ parameters: create })).toHaveLength(1)
  expect(new Set(keys()).size).toBe(1)
  await server?.stop()
  await serve(busy, busy, busy, busy, busy, created)
  await expect(execute({ parameters: create })).rejects.toThrow('rate_limit_exceeded: Too many.')
  expect(server?.received).toHaveLength(5)
})

test('a server that asks for a long rest, and a connection that is lost, are errors at once', async () => {
  const busy = answering(503, { error: { code: 'service_unavailable', message: 'Busy.' } }, { 'retry-after': '61' })
  await serve(busy, { request: { method: '', target: '' }, fault: 'close' })
  await expect(execute({ parameters: create })).rejects.toThrow('service_unavailable: Busy.')
  await expect(execute({ parameters: create })).rejects.toThrow('The CRM server did not answer')
  expect(server?.received).toHaveLength(2)
})

test.each([301, 302, 303, 307, 308])('a redirect is a refusal, not another request: %d', async status => {
  const location = `${contacts}?moved`
  await serve(answering(status, '', { location }), created)
  await expect(execute({ parameters: create })).rejects.toThrow(`status ${status}: The server redirects`)
  expect(targets()).toEqual([`POST ${contacts}`])
})

test.each([['<html>'], [[]], [{}], [{ id: 'c1' }]])(
  'a success that is none of the API is an error: %j',
  async answer => {
    await serve(answering(200, answer), answering(200, answer))
    await expect(execute({ parameters: create })).rejects.toThrow('unexpected_answer')
    const list = { resource: 'contacts', operation: 'list' }
    await expect(execute({ parameters: list })).rejects.toThrow('unexpected_answer')
  },
)

test.each([{ data: {}, meta: { nextCursor: null } }, { data: [] }, { data: [], meta: { nextCursor: 1 } }])(
  'a page without an array or without the place of the next one is an error: %j',
  async answer => {
    await serve(answering(200, answer))
    const list = { resource: 'contacts', operation: 'list', returnAll: true }
    await expect(execute({ parameters: list })).rejects.toThrow('unexpected_answer')
  },
)

test.each(['', '.', '..', undefined, null])('an id that would lead elsewhere is not sent: %j', async id => {
  await serve()
  const get = { resource: 'companies', operation: 'get', id }
  await expect(execute({ parameters: get as IDataObject })).rejects.toThrow('A value is missing: "id"')
  expect(targets()).toEqual([])
})

test.each([
  { search: '' },
  { search: undefined },
  { tagIds: [] },
  { tagIds: [''] },
  { customField: '' },
  { customField: '{}' },
  { customField: '{"region": null}' },
])('a filter that is empty is an error, because the list would find everything: %j', async options => {
  await serve()
  const list = { resource: 'contacts', operation: 'list', returnAll: true, options: options as IDataObject }
  await expect(execute({ parameters: list })).rejects.toThrow(`"${Object.keys(options)[0]}" is empty`)
  expect(targets()).toEqual([])
})

test('a list of more records than the stack of calls has room for is read', async () => {
  const data = Array.from({ length: 200_000 }, () => ({}))
  await serve(answering(200, { data, meta: { nextCursor: null } }))
  expect(await execute({ parameters: { resource: 'contacts', operation: 'list', returnAll: true } })).toHaveLength(
    200_000,
  )
})

test('a lost connection has a code and no status, also where n8n has made the error', async () => {
  await serve({ request: { method: '', target: '' }, fault: 'close' })
  const functions = executing({ url: server?.url ?? '', parameters: create, continueOnFail: true })
  functions.helpers.httpRequestWithAuthentication = () => {
    throw new NodeApiError(functions.getNode(), { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' })
  }
  const [[result] = []] = await new Crm().execute.call(functions)
  expect(result?.json).toMatchObject({ code: 'no_answer', error: 'no_answer: The CRM server did not answer' })
  expect(result?.json).not.toHaveProperty('status')
})

test('a repetition with other values is told what not to put into the fields', async () => {
  await serve(answering(409, { error: { code: 'idempotency_conflict', message: 'The key is taken.' } }))
  await expect(execute({ parameters: create })).rejects.toThrow('take no $now')
})
