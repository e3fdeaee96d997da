import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aCalledServer } from '../../../../test/support/called-server.ts'
import { Outbound, type OutboundAnswer, OutboundFailure, type OutboundRequest, outboundBounds } from './index.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const outbound = new Outbound({ allowedNetworks: ['127.0.0.0/8'] })

/** Calls a server that answers so. */
async function callOf(answer: RequestListener, wanted: Partial<OutboundRequest> = {}) {
  const { port } = await aCalledServer(answer)
  const url = new URL(`http://127.0.0.1:${port}/`)
  return outbound.call({ method: 'GET', url, headers: {}, body: null, timeoutSeconds: 10, ...wanted })
}

async function answerOf(answer: RequestListener): Promise<OutboundAnswer> {
  const came = await callOf(answer)
  if (came instanceof OutboundFailure) throw new Error(came.message)
  return came
}

describe('a call', () => {
  it('sends method, path, query, headers and body', async () => {
    const { port, received } = await aCalledServer((_request, response) => {
      response.writeHead(418, { 'content-type': 'text/plain', 'x-Two': ['a', 'b'] }).end('teapot')
    })
    const url = new URL(`http://127.0.0.1:${port}/a%2Fb?c=%26`)
    const headers = { 'X-Order': '17', 'Content-Type': 'application/json' }

    const answer = await outbound.call({ method: 'PUT', url, headers, body: '{"ä":1}', timeoutSeconds: 10 })
    expect(answer).toMatchObject({
      status: 418,
      headers: { 'x-two': 'a, b' },
      body: Buffer.from('teapot'),
      isCut: false,
    })
    expect(received).toMatchObject([{ method: 'PUT', path: '/a%2Fb?c=%26', body: '{"ä":1}' }])
    expect(received[0]?.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      'x-order': '17',
      'content-type': 'application/json',
      'user-agent': 'crm-server',
    })
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async status => {
    const target = await aCalledServer()
    const location = `http://127.0.0.1:${target.port}/`

    const answer = await answerOf((_request, response) => response.writeHead(status, { location }).end('moved'))
    expect(answer).toMatchObject({ status, headers: { location }, body: Buffer.from('moved') })
    expect(target.connections()).toBe(0)
  })

  it('has a connection of its own', async () => {
    const { port, connections } = await aCalledServer()
    const url = new URL(`http://127.0.0.1:${port}/`)
    for (let time = 0; time < 3; time += 1)
      await outbound.call({ method: 'GET', url, headers: {}, body: null, timeoutSeconds: 10 })
    expect(connections()).toBe(3)
  })

  it('fails with the reason where nobody listens', async () => {
    const url = new URL('http://127.0.0.1:1/')
    expect(await outbound.call({ method: 'GET', url, headers: {}, body: null, timeoutSeconds: 10 })).toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('fails for headers without an end', async () => {
    const endless: RequestListener = (_request, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n')
      for (let line = 0; line < 5000; line += 1) socket?.write(`x-header-${line}: ${'x'.repeat(100)}\r\n`)
    }
    expect(await callOf(endless)).toMatchObject({ reason: 'unreachable' })
  })
})

describe('the time', () => {
  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['never ends its headers', (_request, { socket }) => socket?.write('HTTP/1.1 200 OK\r\nx-one: 1\r\n')],
    ['never ends its body', (_request, response) => response.write('x')],
    [
      'sends a little all the time',
      (_request, response) => {
        const timer = setInterval(() => response.write('x'), 100)
        response.once('close', () => clearInterval(timer))
      },
    ],
    [
      'promises an answer all the time',
      (_request, response) => {
        const timer = setInterval(() => response.writeProcessing(), 100)
        response.once('close', () => clearInterval(timer))
      },
    ],
  ])('ends the call of a server that %s', async (_what, answer) => {
    expect(await callOf(answer, { timeoutSeconds: 1 })).toEqual(
      new OutboundFailure('timeout', 'no whole answer within 1 s'),
    )
  })

  it('ends a lookup that does not end', async () => {
    const waiting = new Outbound({ allowedNetworks: [], lookup: () => new Promise(() => {}) })
    const url = new URL('https://crm.test/')
    expect(await waiting.call({ method: 'GET', url, headers: {}, body: null, timeoutSeconds: 1 })).toMatchObject({
      reason: 'timeout',
    })
  })

  it('is 30 seconds at most', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await callOf((_request, response) => response.end(), { timeoutSeconds: 300 })
    expect(timers).toHaveBeenCalledWith(expect.any(Function), outboundBounds.outboundCall.most)
    expect(timers.mock.calls.filter(([, milliseconds]) => Number(milliseconds) > 30_000)).toEqual([])
    expect(outboundBounds.outboundCall.most).toBe(30_000)
  })
})

describe('the body', () => {
  const most = outboundBounds.outboundAnswer.most

  it('is whole up to 256 KiB', async () => {
    expect(most).toBe(256 * 1024)
    const { body, isCut } = await answerOf((_request, response) => response.end('x'.repeat(most)))
    expect([body.length, isCut]).toEqual([most, false])
  })

  it('is cut beyond that', async () => {
    const { body, isCut } = await answerOf((_request, response) => response.end('x'.repeat(most + 1)))
    expect([body.length, isCut]).toEqual([most, true])
  })

  it('is cut when it has no end', async () => {
    const endless = Readable.from(chunks(Buffer.alloc(16_384, 'x')))
    const { body, isCut } = await answerOf((_request, response) => endless.pipe(response))
    expect([body.length, isCut]).toEqual([most, true])
  })

  it('is cut when it has no end and is packed', async () => {
    // Packed, it is a quarter: to pack nothing but zeros until enough has come takes seconds.
    const chunk = Buffer.concat([randomBytes(16_384), Buffer.alloc(49_152)])
    const endless = Readable.from(chunks(chunk)).pipe(createGzip())
    const { body, isCut } = await answerOf((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      endless.pipe(response)
    })
    expect([body.length, isCut]).toEqual([most, true])
  })

  it('is cut when it is packed as many empty parts', async () => {
    const endless = Readable.from(chunks(gzipSync('')))
    const { body, isCut } = await answerOf((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      endless.pipe(response)
    })
    expect([body.length, isCut]).toEqual([0, true])
  })

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is unpacked, and cut, in the encoding %s', async (encoding, pack) => {
    const packed =
      (text: string): RequestListener =>
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(pack(text))

    expect(await answerOf(packed('hello'))).toMatchObject({ body: Buffer.from('hello'), isCut: false })
    const { body, isCut } = await answerOf(packed('x'.repeat(16 * most)))
    expect([body.length, body.at(-1), isCut]).toEqual([most, 120, true])
  })

  it('is the part that could be unpacked of a body that was cut off on its way', async () => {
    const noise = Buffer.alloc(2 * most)
    for (let index = 0; index < noise.length; index += 1) noise[index] = (index * index * 31 + (index >> 7)) % 251
    const packed = gzipSync(noise, { level: 0 })
    const { body, isCut } = await answerOf((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    expect(body.length).toBeGreaterThan(most - 4096)
    expect(body.equals(noise.subarray(0, body.length))).toBe(true)
    expect(isCut).toBe(true)
  })

  it('stays as it came in an encoding that is not known', async () => {
    const listener: RequestListener = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'sdch' }).end('hello')
    expect(await answerOf(listener)).toMatchObject({ body: Buffer.from('hello') })
  })

  it('makes the call fail when it is not in its encoding', async () => {
    const listener: RequestListener = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('hello')
    expect(await callOf(listener)).toMatchObject({ reason: 'unreachable' })
  })

  it('makes the call fail when the connection breaks', async () => {
    const listener: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('hello')
      setTimeout(() => response.destroy(), 50)
    }
    expect(await callOf(listener)).toMatchObject({ reason: 'unreachable' })
  })
})

function* chunks(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk
}
