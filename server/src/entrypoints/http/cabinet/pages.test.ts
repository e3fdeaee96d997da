import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCabinetPages } from './pages.ts'

const html = '<!doctype html><title>Pages</title>'
const script = 'console.log("the application")\n'
const asPage = { accept: 'text/html,application/xhtml+xml' }
let directory: string
let server: FastifyInstance

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-cabinet-'))
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), html)
  await writeFile(join(directory, 'manifest.json'), '{}')
  await writeFile(join(directory, 'assets', 'index-1.js'), script)
  await writeFile(join(directory, 'assets', 'index-1.js.gz'), gzipSync(script))
  await writeFile(join(directory, 'assets', 'index-1.js.br'), brotliCompressSync(script))
  server = Fastify()
  addCabinetPages(server, pathToFileURL(`${directory}/`))
})

afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true })
})

describe('a page of the cabinet', () => {
  it.each(['/cabinet/', '/cabinet/sign-in', '/cabinet/o/1/contacts/2?tab=notes'])(
    'is the same document at every address, which a browser revalidates by its tag: %s',
    async url => {
      const answer = await server.inject({ url, headers: asPage })
      expect([answer.statusCode, answer.body]).toEqual([200, html])
      expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
      const etag = String(answer.headers.etag)
      const again = await server.inject({ url, headers: { ...asPage, 'if-none-match': etag } })
      expect([again.statusCode, again.body]).toEqual([304, ''])
    },
  )

  it('has a policy that lets in nothing but files of the server, and no text as code', async () => {
    const { headers } = await server.inject({ url: '/cabinet/', headers: asPage })
    const policy = String(headers['content-security-policy'])
    expect(policy).not.toMatch(/unsafe|https?:|\*/u)
    for (const part of ["default-src 'none'", "script-src 'self'", "trusted-types 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  it('is only for clients that ask for HTML', async () => {
    for (const accept of ['application/json', '*/*', ''])
      expect((await server.inject({ url: '/cabinet/sign-in', headers: { accept } })).statusCode).toBe(404)
  })

  it.each(['/cabinet/api/none', '/cabinet/api', '/cabinet/assets/none.js'])(
    'does not stand where the server has something else: %s',
    async url => {
      expect((await server.inject({ url, headers: asPage })).statusCode).toBe(404)
    },
  )

  it('is found without the slash', async () => {
    const { statusCode, headers } = await server.inject('/cabinet')
    expect([statusCode, headers.location]).toEqual([302, 'cabinet/'])
  })
})

describe('a file of the pages', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
  ])('is kept for ever, and sent in the best form that the client takes: %s', async (accepted, coding) => {
    const answer = await server.inject({ url: '/cabinet/assets/index-1.js', headers: { 'accept-encoding': accepted } })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'content-length': String(answer.rawPayload.length),
    })
    expect(answer.headers['content-encoding']).toBe(coding)
    if (coding === 'gzip') expect(gunzipSync(answer.rawPayload).toString()).toBe(script)
    if (coding === undefined) expect(answer.body).toBe(script)
  })

  it('answers HEAD with the same headers', async () => {
    const url = '/cabinet/assets/index-1.js'
    const [get, head] = [await server.inject({ url }), await server.inject({ method: 'HEAD', url })]
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    const page = await server.inject({ method: 'HEAD', url: '/cabinet/', headers: asPage })
    expect([page.statusCode, page.body]).toEqual([200, ''])
  })

  it.each([
    '..%2Fmanifest.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/index.html',
    'index-1.js.gz',
    'toString',
    '.',
    '%00',
  ])('is none that the build has not written for them: %s', async name => {
    expect((await server.inject(`/cabinet/assets/${name}`)).statusCode).toBe(404)
  })
})

it('says before the first build that there is none, and looks again', async () => {
  const unbuilt = Fastify()
  const later = pathToFileURL(`${directory}/later/`)
  addCabinetPages(unbuilt, later)
  const ask = () => unbuilt.inject({ url: '/cabinet/', headers: asPage })
  expect((await ask()).statusCode).toBe(503)
  expect((await unbuilt.inject('/cabinet/assets/index-1.js')).statusCode).toBe(404)
  await mkdir(later)
  await writeFile(new URL('index.html', later), html)
  expect((await ask()).body).toBe(html)
  await unbuilt.close()
})
