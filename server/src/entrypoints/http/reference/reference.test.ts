import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addReferenceRoutes } from './reference-routes.ts'

const document = { openapi: '3.1.0', info: { title: 'A document' } }
const source = 'globalThis.Scalar = {}\n'
let directory: string
let server: FastifyInstance

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-reference-'))
  await writeFile(join(directory, 'scalar.js'), source)
  await writeFile(join(directory, 'scalar.js.gz'), gzipSync(source))
  await writeFile(join(directory, 'scalar.js.sha256'), 'hash-of-it\n')
  server = serving(directory)
})

afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true })
})

test.each(['/openapi.json', '/api/v1/openapi.json'])(
  '%s is the document, which a client revalidates by its tag',
  async url => {
    const answer = await server.inject(url)
    expect(answer.json()).toEqual(document)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    })
    const etag = String(answer.headers.etag)
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await server.inject({ url, headers: { 'if-none-match': held } })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await server.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200)
    const head = await server.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', etag])
    expect(head.headers['content-length']).toBe(answer.headers['content-length'])
  },
)

test('the document is compressed for clients that take it so', async () => {
  const plain = await server.inject('/openapi.json')
  const compressed = await server.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(JSON.parse(gunzipSync(compressed.rawPayload).toString())).toEqual(document)
  expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding'])
  expect(compressed.headers.etag).not.toBe(plain.headers.etag)
})

test('the page runs only scripts that carry the nonce of this answer', async () => {
  const [one, other] = [await server.inject('/reference'), await server.inject('/reference')]
  const policy = String(one.headers['content-security-policy'])
  const nonce = /script-src 'nonce-([^']{24})';/u.exec(policy)?.[1]
  expect(policy).toMatch(/^sandbox allow-scripts /u)
  expect(policy).not.toContain('allow-same-origin')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self'")
  expect(other.headers['content-security-policy']).not.toBe(policy)
  const scripts = one.body.match(/<script[^>]*>/gu)
  expect(scripts).toEqual([
    `<script nonce="${nonce}">`,
    `<script nonce="${nonce}" src="reference/scalar.js?v=hash-of-it">`,
    `<script nonce="${nonce}">`,
  ])
  // The nonce is random, and may have two strokes.
  expect(one.body.replaceAll(String(nonce), '')).not.toContain('//')
})

test('the script is kept for ever under the address with its hash, and only there', async () => {
  const kept = await server.inject('/reference/scalar.js?v=hash-of-it')
  expect(kept.body).toBe(source)
  expect(kept.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-length': String(source.length),
    vary: 'Accept-Encoding',
  })
  const older = await server.inject('/reference/scalar.js?v=older')
  expect([older.body, older.headers['cache-control']]).toEqual([source, 'no-cache'])
})

test('the script is compressed for clients that take it so', async () => {
  const get = (encoding: string) =>
    server.inject({ url: '/reference/scalar.js', headers: { 'accept-encoding': encoding } })
  const compressed = await get('br, gzip;q=0.8')
  expect(compressed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(compressed.rawPayload).toString()).toBe(source)
  for (const encoding of ['br', 'gzip;q=0', 'identity']) {
    expect((await get(encoding)).headers['content-encoding']).toBeUndefined()
  }
  expect((await get('br')).headers.etag).not.toBe(compressed.headers.etag)
})

test('the page says what to do when nothing was built yet', async () => {
  const unbuilt = serving(join(directory, 'none'))
  const page = await unbuilt.inject('/reference')
  expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8'])
  expect(page.body).toContain('npm run build')
  expect((await unbuilt.inject('/reference/scalar.js')).statusCode).toBe(404)
  await unbuilt.close()
})

function serving(built: string): FastifyInstance {
  const server = Fastify()
  addReferenceRoutes(server, document, pathToFileURL(`${built}/`))
  return server
}
