import { createServer, type RequestListener, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { untilNotStale } from './refusal.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(handle: RequestListener, port = 0): Promise<number> {
  const server = createServer(handle)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

type Step = { status: number; headers?: Record<string, string>; body?: unknown } | 'drop'

/** A server that answers the steps one after another and keeps what it was asked. */
async function script(...steps: Step[]) {
  const keys: unknown[] = []
  const times: number[] = []
  const bodies: string[] = []
  const port = await listen(async (request, response) => {
    keys.push(request.headers['idempotency-key'])
    times.push(Date.now())
    bodies.push((await request.toArray()).join(''))
    const step = steps.shift() ?? 'drop'
    if (step === 'drop') return request.socket.destroy()
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers })
    response.end(JSON.stringify(step.body))
  })
  return { keys, times, bodies, port }
}

function clientOf(port: number, patienceMilliseconds = 10_000) {
  return createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'crm_test_token', patienceMilliseconds })
}

const created = { status: 201, body: { data: { id: '1' }, meta: { created: true } } }

function refusal(status: number, code: string, headers: Record<string, string> = {}): Step {
  return { status, headers, body: { error: { code, message: 'No.', details: {}, requestId: 'r' } } }
}

test('429 is repeated after Retry-After, with the same key and the same body', async () => {
  const server = await script(refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' }), created)
  const answer = await clientOf(server.port).post('/deals', { title: 'Deal' })

  expect(answer).toEqual({ status: 201, data: { id: '1' }, meta: { created: true } })
  const [first = 0, second = 0] = server.times
  expect(second - first).toBeGreaterThanOrEqual(950)
  expect(server.keys[0]).toMatch(/^[\x21-\x7e]{1,255}$/)
  expect(server.keys).toEqual([server.keys[0], server.keys[0]])
  expect(server.bodies).toEqual(['{"title":"Deal"}', '{"title":"Deal"}'])
})

test('503, 500, a lost answer and a request in progress are repeated with the same key', async () => {
  const server = await script(
    refusal(503, 'service_unavailable', { 'retry-after': '0' }),
    refusal(500, 'internal_error'),
    'drop',
    refusal(409, 'idempotency_in_progress', { 'retry-after': '0' }),
    created,
  )
  await clientOf(server.port).patch('/deals/1/move', { expectedVersion: 1 })
  expect(server.keys).toHaveLength(5)
  expect(new Set(server.keys).size).toBe(1)
})

test('every logical request has a key of its own, and a read has none', async () => {
  const server = await script(created, created, { status: 200, body: { data: [], meta: {} } })
  const client = clientOf(server.port)
  await client.post('/deals', {})
  await client.post('/deals', {})
  await client.get('/deals')
  expect(server.keys[0]).not.toBe(server.keys[1])
  expect(server.keys[2]).toBeUndefined()
})

test('the client waits for a server that is down', async () => {
  const port = await listen(() => {})
  servers.pop()?.close()
  const request = clientOf(port).get('/deals')
  await pause(600)
  await listen((_, response) => response.end('{"data":[],"meta":{"nextCursor":null}}'), port)
  expect(await request).toMatchObject({ status: 200, data: [] })
})

test('the client gives up when a server stays down', async () => {
  const port = await listen(() => {})
  servers.pop()?.close()
  await expect(clientOf(port, 500).get('/deals')).rejects.toThrow('GET /deals got no answer: ECONNREFUSED')
})

test('a refusal that a repetition cannot help is thrown at once, and does not show the token', async () => {
  const server = await script(refusal(422, 'validation_error'))
  const error: unknown = await clientOf(server.port)
    .post('/deals', {})
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ status: 422, code: 'validation_error' })
  expect(String(error)).toContain('POST /deals was refused: 422 validation_error No.')
  expect(String(error)).not.toContain('crm_test_token')
  expect(server.keys).toHaveLength(1)
})

test('a stale version is read and written again, as a new request', async () => {
  const server = await script(refusal(409, 'version_conflict'), refusal(428, 'precondition_required'), created)
  const client = clientOf(server.port)
  await untilNotStale(() => client.post('/companies/upsert', {}))
  expect(new Set(server.keys).size).toBe(3)
})
