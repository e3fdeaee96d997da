import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../../server/src/kernel/schema/index.ts'
import { until } from '../../../support/waiting.ts'
import type { Installation } from '../../support/installations.ts'
import { requestText, Wire, type WireAnswer } from '../../support/wire.ts'
import { onServer } from './server.ts'

let installation: Installation
let url: string

beforeAll(async () => {
  installation = await onServer()
  url = installation.server.url
})

const path = '/api/v1/crm/contacts'
const limitBytes = 1024 * 1024
const ofLength = (length: number, members: object = {}) =>
  JSON.stringify({ firstName: 'Anna', ...members }).padEnd(length, ' ')

function headersOf(token = installation.client.token) {
  const form = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), 'X-Request-Id': 'body-1' }
  return { ...form, Authorization: `Bearer ${token}` }
}

const declared = (body: string) => requestText('POST', path, headersOf(), body)

function chunked(body: string): string {
  const middle = Math.floor(body.length / 2)
  const chunks = [body.slice(0, middle), body.slice(middle), '']
  const text = chunks.map(chunk => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')
  return requestText('POST', path, { ...headersOf(), 'Transfer-Encoding': 'chunked' }) + text
}

/** The answers to what was sent and to one more request, or all that there are when the server closes the connection before that. */
async function answersWithNext(wire: Wire): Promise<readonly WireAnswer[]> {
  wire.send(requestText('GET', '/livez'))
  await until('both answers, or the end', () => wire.closed || wire.answers().length === 2)
  const answers = wire.answers()
  wire.hangUp()
  return answers
}

describe.each([
  ['with its length declared', declared],
  ['in chunks', chunked],
])('a body that comes %s', (_, request) => {
  test('is taken up to the limit, and the connection goes on', async () => {
    const wire = await Wire.open(url)
    wire.send(request(ofLength(limitBytes)))
    wire.send(requestText('GET', '/livez'))
    const answers = await wire.answered(2)
    expect(answers.map(({ status }) => status)).toEqual([201, 200])
    wire.hangUp()
  })

  test('is refused with one byte more, and what follows on the connection is answered rightly or not at all', async () => {
    const wire = await Wire.open(url)
    wire.send(request(ofLength(limitBytes + 1)))
    const [refused, ...others] = await answersWithNext(wire)
    expect(refused).toMatchObject({ status: 413, error: { code: 'payload_too_large', details: { limitBytes } } })
    expect(refused?.headers['x-request-id']).toBe('body-1')
    if (refused?.headers.connection === 'close') expect(others).toEqual([])
    else expect(others.map(({ status }) => status)).toEqual([200])
  })

  test('is never taken for a request, whatever it holds', async () => {
    const externalId = `smuggled-${newId()}`
    const smuggled = requestText('POST', path, headersOf(), JSON.stringify({ firstName: 'Eve', externalId }))
    const wire = await Wire.open(url)
    wire.send(request(smuggled.padStart(limitBytes + smuggled.length, '\r\n')))
    const [refused, ...others] = await answersWithNext(wire)
    expect(refused?.status).toBe(413)
    expect(others.map(({ status }) => status)).toEqual(refused?.headers.connection === 'close' ? [] : [200])
    expect((await installation.client.get(`/contacts?externalId=${externalId}`)).items).toEqual([])
  })
})

describe('a client that is still sending a large body', () => {
  const large = Buffer.alloc(8 * limitBytes, ' ')
  const attempts = 8

  /** The statuses of several attempts with a common HTTP client, which fails when the connection is cut off. */
  async function statuses(address: string, headers: Record<string, string>): Promise<number[]> {
    const seen: number[] = []
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const answer = await fetch(address, { method: 'POST', headers, body: large })
      await answer.text()
      seen.push(answer.status)
    }
    return seen
  }

  test.each([
    ['413', path, () => headersOf()],
    ['401', path, () => headersOf('nonsense')],
    ['404', '/api/v1/crm/pets', () => headersOf()],
  ])('gets %s instead of being cut off', async (status, target, headers) => {
    expect(await statuses(`${url}${target}`, headers())).toEqual(Array.from({ length: attempts }, () => Number(status)))
  })

  test('without an end has its answer, and is cut off', async () => {
    const wire = await Wire.open(url)
    wire.send(requestText('POST', path, { ...headersOf(), 'Content-Length': String(2 ** 40) }))
    const chunk = Buffer.alloc(limitBytes, ' ')
    let chunks = 0
    for (; !wire.cut && chunks < 500; chunks += 1) {
      wire.send(chunk)
      await wire.flushed()
    }
    expect(chunks).toBeLessThan(500)
    expect(wire.answers()).toMatchObject([{ status: 413, headers: { connection: 'close' } }])
  })

  test('has no effect by the bytes behind it', async () => {
    const externalId = `behind-${newId()}`
    const wire = await Wire.open(url)
    wire.send(requestText('POST', '/api/v1/crm/pets', { 'Content-Length': '5' }))
    expect(await wire.answered()).toMatchObject([{ status: 404, headers: { connection: 'close' } }])
    wire.send(`12345${declared(JSON.stringify({ firstName: 'Eve', externalId }))}`)
    await wire.flushed()
    expect(await wire.ended()).toHaveLength(1)
    expect((await installation.client.get(`/contacts?externalId=${externalId}`)).items).toEqual([])
  })
})

test('a body is taken byte by byte', async () => {
  const wire = await Wire.open(url)
  const text = declared('{"firstName":"Slow"}')
  for (const byte of text) {
    wire.send(byte)
    await wire.flushed()
  }
  const [answer] = await wire.answered()
  expect(answer?.status).toBe(201)
  wire.hangUp()
})
