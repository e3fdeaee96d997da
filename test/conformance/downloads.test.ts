import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { bounds, parseToken } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { until } from '../support/waiting.ts'
import { aFile, attach, download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { rawCall } from './support/raw.ts'
import { aRecord } from './support/requests.ts'
import { mebibyte, sha256 } from './support/uploads.ts'

const given = useApi()
const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))

/** A link to a new file, and its id. */
async function aLink(bytes: Uint8Array = content, name = 'Angebot für Žluť.html') {
  const organization = await given.shared()
  const deal = await aRecord('deal', organization)
  const { items } = await attach(organization.client, `/deals/${deal.id}`, 1, [aFile(bytes, name)])
  return { organization, url: String(items[0]?.url), id: String(items[0]?.id) }
}

describe('a link', () => {
  it('gives the file, to be saved and not to be shown', async () => {
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const { url } = await aLink(html)
    const { status, headers, bytes } = await download(url)
    expect([status, bytes]).toEqual([200, html])
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': String(html.length),
      'content-disposition': `attachment; filename="Angebot f_r _lu_.html"; filename*=UTF-8''Angebot%20f%C3%BCr%20%C5%BDlu%C5%A5.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
      etag: `"${sha256(html)}"`,
      'x-request-id': expect.any(String),
    })
  })

  it('names no place in the store', async () => {
    const { url, id, organization } = await aLink()
    const token = url.split('/').at(-1) ?? ''
    for (const hidden of [id, organization.id, 'attachment', 'data']) expect(url).not.toContain(hidden)
    expect(token).toMatch(/^[\w-]{148}$/u)
  })

  it('is good for an hour', async () => {
    const { url } = await aLink()
    given.clock.advance(3_599_000)
    expect((await download(url)).status).toBe(200)
    given.clock.advance(1000)
    expect((await download(url)).status).toBe(404)
  })

  it('that was changed anywhere, or was made elsewhere, is unknown', async () => {
    const { url, id, organization } = await aLink()
    const length = 148
    const at = url.length - length
    for (let place = 0; place < length; place += 7) {
      const [before, letter, after] = [url.slice(0, at + place), url.at(at + place), url.slice(at + place + 1)]
      expect((await download(`${before}${letter === 'A' ? 'B' : 'A'}${after}`)).status).toBe(404)
    }
    const { links } = given.api.services.files
    const tokenId = String(parseToken(organization.client.token)?.tokenId)
    const holder = { tokenId }
    const linked = { organizationId: organization.id, id, resourceId: id, holder, scopes: ['crm_files_read'] }
    const made = (others: object) => links.link({ ...linked, ...others }, { seconds: 60, now: given.clock.now() }).url
    expect((await download(made({}))).status).toBe(200)
    const unknown = made({ id: newId() })
    const foreign = made({ organizationId: newId() })
    const ofNobody = made({ holder: { tokenId: 'aTokenOfNone' } })
    const short = `${new URL(url).origin}/files/${Buffer.alloc(20).toString('base64url')}`
    const never = await rawCall(given.api, { path: '/files/nothing' })
    const wrong = [unknown, foreign, ofNobody, short, `${url}A`, `${url}=`, url.slice(0, -1)]
    for (const path of wrong.map(each => new URL(each).pathname)) {
      const { status, error } = await rawCall(given.api, { path })
      expect([status, error.code, error.message]).toEqual([404, 'not_found', never.error.message])
    }
  })

  it('is for reading alone', async () => {
    const { url } = await aLink()
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await download(url, { method })).status).toBe(404)
  })
})

describe('a part of a file', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, 999],
    ['bytes=990-5000', 990, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-5000', 0, 999],
  ])('%s is given', async (range, start, end) => {
    const { url } = await aLink()
    const { status, headers, bytes } = await download(url, { headers: { range } })
    expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/1000`])
    expect(headers['content-length']).toBe(String(end - start + 1))
    expect(bytes).toEqual(content.subarray(start, end + 1))
  })

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is refused, because the file has no such part',
    async range => {
      const { url } = await aLink()
      const { status, headers, bytes } = await download(url, { headers: { range } })
      expect([status, headers['content-range'], bytes.length]).toEqual([416, 'bytes */1000', 0])
    },
  )

  it.each(['bytes=0-1,5-6', 'bytes=', 'bytes=x-y', 'bytes=5-1', 'lines=0-1', '0-1'])(
    'is the whole file for %s',
    async range => {
      const { url } = await aLink()
      const { status, bytes } = await download(url, { headers: { range } })
      expect([status, bytes.length]).toEqual([200, 1000])
    },
  )

  it('can be requested under the condition that the file is still the same', async () => {
    const { url } = await aLink()
    const range = 'bytes=0-9'
    const same = await download(url, { headers: { range, 'if-range': `"${sha256(content)}"` } })
    expect([same.status, same.bytes.length]).toEqual([206, 10])
    const other = await download(url, { headers: { range, 'if-range': '"another"' } })
    expect([other.status, other.bytes.length]).toEqual([200, 1000])
  })
})

it('HEAD gives the headers of GET, without its body', async () => {
  const { url } = await aLink()
  const { status, headers, bytes } = await download(url, { method: 'HEAD' })
  expect([status, headers['content-length'], bytes.length]).toEqual([200, '1000', 0])
})

it('a file that the client has already is not sent again', async () => {
  const { url } = await aLink()
  const etag = `"${sha256(content)}"`
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { status, headers, bytes } = await download(url, { headers: { 'if-none-match': known } })
    expect([status, headers.etag, bytes.length]).toEqual([304, etag, 0])
  }
  expect((await download(url, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
})

it('an empty file is given, too', async () => {
  const { url } = await aLink(new Uint8Array())
  const { status, headers, bytes } = await download(url)
  expect([status, headers['content-length'], bytes.length]).toEqual([200, '0', 0])
})

it('a file whose bytes are lost is a 500, before anything of it is sent', async () => {
  const { url, id, organization } = await aLink()
  await given.api.services.files.discard([{ organizationId: organization.id, purpose: 'attachment', id }])
  const { status, headers } = await download(url)
  expect([status, headers['content-type']]).toEqual([500, 'application/json; charset=utf-8'])
  const failures = given.api.failures.splice(0)
  expect(failures).toMatchObject([{ facts: { operation: 'files.download', busy: false } }])
  expect(JSON.stringify(failures)).not.toContain(new URL(url).pathname)
})

it('downloads that are not read are bounded by organization, and end with their clients', async () => {
  const { url } = await aLink(Buffer.alloc(10 * mebibyte))
  const { hostname, port, pathname } = new URL(url)
  const most = bounds.organizationRequests.most
  const sockets = Array.from({ length: most }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: test\r\n\r\n`)
    return socket
  })
  const { admission } = given.api.services
  const running = () => admission.usage().processRequests
  await until('all downloads to run', () => running() === most)
  const refused = await download(url)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
  const other = await given.organization()
  expect((await other.client.get('/contacts')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await until('their places to be free', () => running() === 0)
  expect((await download(url)).bytes.length).toBe(10 * mebibyte)
})
