import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bounds, defineOperation } from '../../server/src/kernel/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

const chunk = Buffer.alloc(64 * 1024, 'row')

/** What the source of the running test was asked for. */
const source = { given: 0, open: 0, ended: 0, mostChunks: Number.POSITIVE_INFINITY, failsAt: -1, waits: false }

async function* rows(): AsyncGenerator<Buffer> {
  source.open += 1
  try {
    while (source.given < source.mostChunks) {
      if (source.waits && source.given > 0) await sleep(100)
      if (source.given === source.failsAt) throw new Error('the cursor broke')
      source.given += 1
      yield chunk
    }
  } finally {
    source.open -= 1
    source.ended += 1
  }
}

const declared = { summary: 'An operation of the tests that streams', scopes: [], answer: { data: {} } }
const file = defineOperation({
  ...declared,
  id: 'test.file',
  method: 'GET',
  path: '/api/v1/crm/file',
  streams: 'text/csv',
  execute: async () => ({
    status: 200,
    stream: { mediaType: 'text/csv; charset=utf-8', fileName: 'Żółć "1".csv', chunks: rows() },
  }),
})
const counted = defineOperation({
  ...declared,
  id: 'test.counted',
  method: 'GET',
  path: '/api/v1/crm/counted',
  streams: 'text/csv',
  execute: async () => ({ status: 200, stream: { mediaType: 'text/csv', length: 2 * chunk.length, chunks: rows() } }),
})
const written = defineOperation({
  ...declared,
  id: 'test.written',
  method: 'POST',
  path: '/api/v1/crm/file',
  execute: file.execute,
})

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi({ operations: [file, counted, written] })
  organization = await anOrganization(api)
})
afterAll(() => api.close())
beforeEach(() => {
  Object.assign(source, {
    given: 0,
    open: 0,
    ended: 0,
    mostChunks: Number.POSITIVE_INFINITY,
    failsAt: -1,
    waits: false,
  })
  api.failures.length = 0
})
afterEach(() => vi.useRealTimers())

function call(path: string, method = 'GET'): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${organization.client.token}`, 'idempotency-key': crypto.randomUUID() }
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}/api/v1/crm${path}`, { method, headers, agent: false }, resolve)
    sent.on('error', reject)
    sent.end()
  })
}

/** Reads an answer to its end: how many bytes it had, and whether it was cut off. */
async function readAll(answer: IncomingMessage): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0
  answer.on('data', (part: Buffer) => {
    bytes += part.length
  })
  answer.on('error', () => {})
  answer.resume()
  await new Promise(resolve => answer.once('close', resolve))
  return { bytes, isWhole: answer.complete }
}

describe('a streamed answer', () => {
  it('is whole, under its name, with the headers of every answer', async () => {
    source.mostChunks = 100
    const answer = await call('/file')
    expect(await readAll(answer)).toEqual({ bytes: 100 * chunk.length, isWhole: true })
    expect([answer.statusCode, answer.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="____ _1_.csv"; filename*=UTF-8''%C5%BB%C3%B3%C5%82%C4%87%20%221%22.csv`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/u),
        'ratelimit-limit': expect.stringMatching(/^\d+$/u),
      },
    ])
    expect(source.ended).toBe(1)
  })

  it('has its length where the source knows it', async () => {
    source.mostChunks = 2
    const answer = await call('/counted')
    expect([answer.headers['content-length'], await readAll(answer)]).toEqual([
      String(2 * chunk.length),
      { bytes: 2 * chunk.length, isWhole: true },
    ])
  })

  it('that is shorter than its length is cut off, and its cause logged', async () => {
    source.mostChunks = 1
    expect((await readAll(await call('/counted'))).isWhole).toBe(false)
    expect(api.failures).toHaveLength(1)
  })

  it('that is longer than its length ends there, and its cause is logged', async () => {
    expect((await readAll(await call('/counted'))).bytes).toBe(2 * chunk.length)
    expect(api.failures).toHaveLength(1)
    await until('the source to be closed', () => source.open === 0)
  })

  it('of a HEAD is its headers alone, and the source is not read', async () => {
    const answer = await call('/file', 'HEAD')
    expect([answer.statusCode, answer.headers['content-type'], await readAll(answer)]).toEqual([
      200,
      'text/csv; charset=utf-8',
      { bytes: 0, isWhole: true },
    ])
    expect(source.given).toBe(0)
  })

  it('whose source throws is cut off, and the cause logged with the request', async () => {
    source.failsAt = 3
    const answer = await call('/file')
    expect((await readAll(answer)).isWhole).toBe(false)
    expect(api.failures).toMatchObject([
      {
        error: { message: 'the cursor broke' },
        facts: { operation: 'test.file', requestId: answer.headers['x-request-id'] },
      },
    ])
  })

  it('is given to GET alone', async () => {
    expect((await call('/file', 'POST')).statusCode).toBe(500)
    expect(api.failures).toMatchObject([{ error: { message: expect.stringContaining('only a GET') } }])
    expect(source.given).toBe(0)
  })
})

describe('a client', () => {
  it('that reads slowly keeps its answer: the source is read no further than there is room', async () => {
    const answer = await call('/file')
    answer.pause()
    let last = -1
    await until('the source to be left alone', async () => {
      last = source.given
      await sleep(200)
      return source.given === last
    })
    // What the sockets of both sides hold.
    expect(source.given * chunk.length).toBeLessThan(32 * 1024 * 1024)
    expect(source.open).toBe(1)
    source.mostChunks = last + 50
    expect(await readAll(answer)).toEqual({ bytes: (last + 50) * chunk.length, isWhole: true })
  })

  it('that leaves closes the source, and gives its place back', async () => {
    source.waits = true
    const answer = await call('/file')
    await until('the source to run', () => source.given > 2)
    const running = () => api.services.admission.usage().processRequests
    await expect.poll(running).toBe(1)
    answer.destroy()
    await until('the source to be closed', () => source.ended === 1)
    await expect.poll(running).toBe(0)
    expect(api.failures).toEqual([])
  })

  it('that leaves causes no log line for errors of the source after that', async () => {
    Object.assign(source, { waits: true, failsAt: 3 })
    const answer = await call('/file')
    await until('the source to be about to fail', () => source.given === 3)
    answer.destroy()
    await until('the source to be closed', () => source.ended === 1)
    await sleep(50)
    expect(api.failures).toEqual([])
  })

  it('that leaves while the server waits for it closes the source too', async () => {
    const answer = await call('/file')
    answer.pause()
    await until('the source to run', () => source.given > 2)
    answer.destroy()
    await until('the source to be closed', () => source.ended === 1)
    expect(api.failures).toEqual([])
  })

  it('that takes longer than a stream may is cut off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = await call('/file')
    answer.pause()
    await new Promise(resolve => setImmediate(resolve))
    vi.advanceTimersByTime(bounds.streamedAnswer.most)
    vi.useRealTimers()
    expect((await readAll(answer)).isWhole).toBe(false)
    await until('the source to be closed', () => source.ended === 1)
  })

  it('gets its next answer on the same connection', async () => {
    source.mostChunks = 3
    const { client } = organization
    const fetched = async () => {
      source.given = 0
      const headers = { authorization: `Bearer ${client.token}` }
      return (await (await fetch(`${api.url}${file.path}`, { headers })).arrayBuffer()).byteLength
    }
    expect([await fetched(), await fetched()]).toEqual([3 * chunk.length, 3 * chunk.length])
  })
})
