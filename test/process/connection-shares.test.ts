import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { anApplication, environmentOf } from './support/installations.ts'
import { requestText, Wire } from './support/wire.ts'

const processes = useProcesses()
let database: TestDatabase
let server: Server
let token: string
let addresses = 1

beforeAll(async () => {
  database = await createTestDatabase(2)
  token = (await anApplication(database.database)).token
  server = await processes.serve({ ...(await environmentOf(processes, database)), TRUSTED_PROXIES: '127.0.1.0/24' })
})
afterAll(() => database?.drop())

const share = 500
const contacts = (headers: Record<string, string> = {}) =>
  requestText('GET', '/api/v1/crm/contacts?limit=1', { Authorization: `Bearer ${token}`, ...headers })

/** An address that no test has used. */
function newAddress(): string {
  addresses += 1
  return `127.0.0.${addresses}`
}

/** The answers on a new connection, until the server closes it. */
async function answersTo(request: string, from: string) {
  const wire = await Wire.open(server.url, from)
  wire.send(request)
  const answers = await wire.ended()
  wire.hangUp()
  return answers
}

/**
 * Does the work while an address has its share of connections. The server closes silent ones after 15 s: where that was before the end
 * of the work, everything is done once more from another address.
 */
async function withShareTaken<Result>(work: (address: string) => Promise<Result>): Promise<Result> {
  for (;;) {
    const address = newAddress()
    const wires = await Promise.all(Array.from({ length: share }, () => Wire.open(server.url, address)))
    const result = await work(address).catch(() => null)
    const isWhole = wires.every(({ closed }) => !closed)
    for (const wire of wires) wire.hangUp()
    if (isWhole && result !== null) return result
  }
}

describe('an address that has its share of connections', () => {
  test('is answered probes on further ones, 503 to anything else, and both close them', async () => {
    const answers = await withShareTaken(async address => ({
      probe: await answersTo(requestText('GET', '/livez') + requestText('GET', '/livez'), address),
      other: await answersTo(contacts(), address),
    }))
    expect(answers.probe.map(({ status, headers }) => [status, headers.connection])).toEqual([[200, 'close']])
    expect(answers.other.map(({ status, headers }) => [status, headers.connection])).toEqual([[503, 'close']])
    expect(answers.other[0]?.error.details).toEqual({ bound: 'addressConnections', limit: share })
  })

  test('does not keep others from theirs', async () => {
    const statuses = await withShareTaken(async () => {
      const wire = await Wire.open(server.url, newAddress())
      wire.send(contacts() + contacts())
      const answers = await wire.answered(2)
      wire.hangUp()
      return answers.map(({ status }) => status)
    })
    expect(statuses).toEqual([200, 200])
  })

  test('is named in the log when it forwards requests of others, with the variable to set', async () => {
    const address = await withShareTaken(async address => {
      await answersTo(contacts({ 'X-Forwarded-For': '192.0.2.1' }), address)
      return address
    })
    const line = await until('the line of the log', () => server.err.split('\n').find(text => text.includes(address)))
    expect(JSON.parse(line)).toMatchObject({ address, msg: expect.stringContaining('TRUSTED_PROXIES') })
  })

  test('is not named when it forwards nothing', async () => {
    const address = await withShareTaken(async address => {
      await answersTo(contacts(), address)
      return address
    })
    expect(server.err).not.toContain(address)
  })
})

describe('behind a trusted proxy', () => {
  const proxy = '127.0.1.1'
  const stranger = '192.0.2.1'
  const document = requestText('GET', '/openapi.json', { 'X-Forwarded-For': stranger })

  async function answerTo(request: string) {
    const wire = await Wire.open(server.url, proxy)
    wire.send(request)
    const [answer] = await wire.answered()
    wire.hangUp()
    return answer
  }

  test('a client without a valid token has 64 answers that it does not read, and keeps nobody else from theirs', async () => {
    const wires = await Promise.all(Array.from({ length: 64 }, () => Wire.open(server.url, proxy)))
    for (const wire of wires) {
      wire.pause()
      // More than the sockets of both sides hold.
      wire.send(document.repeat(16))
    }
    const refused = await until('the refusal of one more', async () => {
      const answer = await answerTo(document)
      return answer?.status === 503 && answer
    })
    expect(refused.headers.connection).toBe('close')
    expect(refused.error.details).toEqual({ bound: 'unauthenticatedRequests', limit: 64 })
    const forged = requestText('GET', '/api/v1/crm/contacts', {
      'X-Forwarded-For': stranger,
      Authorization: 'Bearer x',
    })
    expect((await answerTo(forged))?.status).toBe(503)
    const unknown = requestText('GET', '/nowhere', { 'X-Forwarded-For': stranger })
    expect((await answerTo(unknown))?.status).toBe(503)
    const preflight = requestText('OPTIONS', '/api/v1/crm/contacts', {
      'X-Forwarded-For': stranger,
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'GET',
    })
    expect((await answerTo(preflight))?.status).toBe(503)
    expect((await answerTo(contacts({ 'X-Forwarded-For': stranger })))?.status).toBe(200)
    expect((await answerTo(requestText('GET', '/livez', { 'X-Forwarded-For': stranger })))?.status).toBe(200)
    const other = requestText('GET', '/openapi.json', { 'X-Forwarded-For': '192.0.2.2' })
    expect((await answerTo(other))?.status).toBe(200)
    for (const wire of wires) wire.hangUp()
    await until('room for the client again', async () => (await answerTo(document))?.status === 200)
  })
})

describe.concurrent('a connection', () => {
  test('on which no request has a valid token is closed after 15 s, and one with valid tokens goes on', async () => {
    const [stranger, client] = [await Wire.open(server.url), await Wire.open(server.url)]
    let asked = 0
    while (!stranger.closed) {
      asked += 1
      stranger.send(requestText('GET', '/livez'))
      client.send(contacts())
      await client.answered(asked)
      await sleep(1000)
    }
    const answers = stranger.answers()
    expect(answers.length).toBeGreaterThan(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(answers.map(({ headers }) => headers.connection === 'close').indexOf(true)).toBe(answers.length - 1)
    expect(client.closed).toBe(false)
    client.send(requestText('GET', '/livez') + contacts())
    const last = (await client.answered(asked + 2)).slice(-2)
    expect(last.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive'])
    client.hangUp()
  })

  test.each([
    ['whose first request never becomes complete', 'GET /livez HTTP/1.1\r\nHost: crm.example.com\r\nX-Slow: '],
    ['whose body is not awaited', requestText('GET', '/livez', { 'Content-Length': '1000' })],
  ])('%s is closed, however steadily it comes', async (_, beginning) => {
    const wire = await Wire.open(server.url)
    wire.send(beginning)
    let sent = 0
    for (; !wire.cut; sent += 1) {
      wire.send('x')
      await sleep(500)
    }
    // After 60 s Node.js would close it.
    expect(sent).toBeLessThan(100)
  })

  test('with valid tokens may take its time for a body', async () => {
    const wire = await Wire.open(server.url)
    const body = JSON.stringify({ firstName: 'Anna' }).padEnd(60)
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'slowly-sent',
    }
    const request = requestText('POST', '/api/v1/crm/contacts', headers, body)
    wire.send(request.slice(0, -body.length))
    for (const character of body.slice(0, -1)) {
      wire.send(character)
      await sleep(300)
    }
    // The next request begins before the answer.
    wire.send(body.slice(-1) + contacts())
    const answers = await wire.answered(2)
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [201, 'keep-alive'],
      [200, 'keep-alive'],
    ])
    wire.hangUp()
  })
})
