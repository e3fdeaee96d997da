import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { until, within } from '../support/waiting.ts'
import { aForm } from './support/forms.ts'
import { useApi } from './support/given.ts'
import { rawCall } from './support/raw.ts'
import { begin, leftOf, mebibyte, nothing, upload, uploadPath } from './support/uploads.ts'

const given = useApi({ operations: [upload] })
const limitBytes = 30 * mebibyte
const aFile = { name: 'files', fileName: 'a', content: 'x' }

describe('a form with more bytes than the operation takes', () => {
  it('is refused by its declared length, before it has come', async () => {
    const { client } = await given.shared()
    const headers = { authorization: `Bearer ${client.token}`, 'idempotency-key': 'declared' }
    const call = { method: 'POST', path: uploadPath, headers: { ...headers, ...aForm([]).headers } }
    const { status, error } = await rawCall(given.api, { ...call, contentLength: limitBytes + 1 })
    expect([status, error.code, error.details]).toEqual([413, 'payload_too_large', { limitBytes }])
  })

  it('is refused as soon as they have come, and nothing is kept', async () => {
    const { client } = await given.shared()
    const form = aForm([{ ...aFile, content: Buffer.alloc(limitBytes) }])
    const status = await new Promise((resolve, reject) => {
      const headers = { ...form.headers, authorization: `Bearer ${client.token}`, 'idempotency-key': 'k' }
      const call = request(`${given.api.url}${uploadPath}`, { method: 'POST', headers }, answer => {
        resolve(answer.statusCode)
        answer.resume()
        call.destroy()
      })
      call.on('error', reject)
      // It never ends.
      call.write(form.raw)
    })
    expect(status).toBe(413)
    expect(await leftOf(given.api)).toEqual(nothing)
  })
})

it('an organization that fills its bytes on disk gets a 503 with Retry-After, and the others are served', async () => {
  const { client } = await given.organization()
  const other = (await given.organization()).client
  const fitting = Math.floor(bounds.organizationSpoolBytes.most / limitBytes)
  const begun = Array.from({ length: fitting }, () => begin(given.api, client.token, limitBytes, aForm([aFile])))
  const sockets = await Promise.all(begun)
  const held = () => given.api.services.admission.usage().processSpoolBytes
  await until('all to be held', () => held() === fitting * limitBytes)
  const large = aForm([{ ...aFile, content: Buffer.alloc(20 * mebibyte) }])
  const { status, headers, details } = await client.post(uploadPath, undefined, large)
  expect([status, headers.get('retry-after'), details.bound]).toEqual([503, '5', 'organizationSpoolBytes'])
  expect((await other.post(uploadPath, undefined, large)).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await until('all to be given back', () => held() === 0)
  expect((await client.post(uploadPath, undefined, large)).status).toBe(200)
})

it('a form without declared length is held to the same bytes on disk', async () => {
  const { client } = await given.organization()
  const { spoolBytes } = given.api.services.admission
  const organizationId = (await given.organization()).id
  expect(spoolBytes.exceeded(organizationId, 1)).toBeNull()
  const form = aForm([{ ...aFile, content: Buffer.alloc(mebibyte) }])
  const body = new Blob([form.raw]).stream()
  const headers = { ...form.headers, authorization: `Bearer ${client.token}`, 'idempotency-key': 'chunked' }
  const answer = await fetch(`${given.api.url}${uploadPath}`, { method: 'POST', headers, body, duplex: 'half' })
  const { data } = Object(await answer.json())
  expect(data.held.processSpoolBytes).toBe(form.raw.length)
})

it('bytes behind the end of a form are ignored, however they come', async () => {
  const { client } = await given.shared()
  const { headers, raw } = aForm([aFile])
  const longer = new Uint8Array(Buffer.concat([raw, Buffer.alloc(mebibyte, 'epilogue')]))
  const { status } = await within(30_000, 'the answer', client.post(uploadPath, undefined, { headers, raw: longer }))
  expect(status).toBe(200)
})

it('any bytes as a form are answered, and leave nothing', async () => {
  const { client } = await given.shared()
  const note = { name: 'note', content: 'abc' }
  const { headers, raw } = aForm([aFile, note, { ...aFile, content: 'y'.repeat(300) }], 'bound')
  const random = (below: number) => Math.floor(Math.random() * below)
  const pieces = ['\r\n', '--bound', '\r\n--bound\r\n', '\r\n--bound--', '\r\n\r\n', ';', '"', '\0', 'filename=']
  for (let round = 0; round < 100; round++) {
    const start = random(raw.length)
    const piece = pieces[random(pieces.length)] ?? ''
    const broken = Buffer.concat([raw.subarray(0, start), Buffer.from(piece), raw.subarray(start + random(40))])
    const sent = client.post(uploadPath, undefined, { headers, raw: new Uint8Array(broken) })
    const { status } = await within(30_000, broken.toString(), sent)
    expect([200, 400], broken.toString()).toContain(status)
  }
  expect(await leftOf(given.api)).toEqual(nothing)
})
