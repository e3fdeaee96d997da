import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { VerificationFailed, verify } from '../../packages/sdk/src/webhooks.ts'
import { signedHeaders } from '../../server/src/webhooks/signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const id = 'chg_019bd1c8-7c40-7a92-8022-d44810a917a1_019bd1c8-7c40-7ce9-8bfd-3dfcebe65588'
const body = '{"type":"contact.created","timestamp":"2026-01-31T09:15:00.000Z","data":{"seq":7,"name":"Zoë"}}'

/** The headers of a message that was sent so many seconds ago. */
function signed({ secondsAgo = 0, by = [secret], text = body } = {}): Record<string, string> {
  return signedHeaders({ id, body: text, at: Date.now() - secondsAgo * 1000 }, by)
}

const signatureIn = (headers: Record<string, string>) => new Headers(headers).get('webhook-signature') ?? ''

describe('a message that the server has signed', () => {
  test('is parsed', async () => {
    expect(await verify(body, signed(), secret)).toEqual(JSON.parse(body))
  })

  test.each([
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer that is part of a larger one', Buffer.from(`--${body}`).subarray(2)],
    ['an ArrayBuffer', new Uint8Array(new TextEncoder().encode(body)).buffer],
  ])('is taken as %s', async (_, raw) => {
    expect(await verify(raw, signed(), secret)).toEqual(JSON.parse(body))
  })

  test('is taken with the headers of fetch', async () => {
    expect(await verify(body, new Headers(signed()), secret)).toEqual(JSON.parse(body))
  })

  test('is taken with either secret during a rotation, and by a receiver that knows both', async () => {
    const headers = signed({ by: [other, secret] })
    for (const known of [secret, other, [other, secret], [secret, other]])
      expect(await verify(body, headers, known)).toEqual(JSON.parse(body))
    expect(await verify(body, signed(), [other, secret])).toEqual(JSON.parse(body))
  })

  test.each([-299, 299])('is taken %i seconds after its time', async secondsAgo => {
    expect(await verify(body, signed({ secondsAgo }), secret)).toEqual(JSON.parse(body))
  })
})

test('a message that standardwebhooks has signed is taken', async () => {
  const at = new Date()
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  expect(await verify(body, headers, secret)).toEqual(JSON.parse(body))
})

describe('a message is refused', () => {
  const refused = (headers: Record<string, string>, text = body) =>
    expect(verify(text, headers, [secret])).rejects.toThrow(VerificationFailed)

  test('if its body was changed', () => refused(signed(), body.replace('7', '8')))

  test('if its id was changed', () => refused({ ...signed(), 'webhook-id': `${id}_won` }))

  test('if it was signed with another secret', () => refused(signed({ by: [other] })))

  test.each([-310, 310])('if it is %i seconds old', secondsAgo => refused(signed({ secondsAgo })))

  test('if its time is no number', () => refused({ ...signed(), 'webhook-timestamp': 'now' }))

  test('if its signature has another version', () => {
    const headers = signed()
    return refused({ ...headers, 'webhook-signature': signatureIn(headers).replace('v1,', 'v2,') })
  })

  test('if its signature is the beginning of the right one, or longer', async () => {
    const headers = signed()
    const right = signatureIn(headers)
    for (const wrong of ['v1,', right.slice(0, -1), `${right}A`])
      await refused({ ...headers, 'webhook-signature': wrong })
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without the header %s', name => {
    const headers = signed()
    delete headers[name]
    return expect(verify(body, headers, secret)).rejects.toThrow(`the header ${name} is missing`)
  })
})

describe('a mistake of the receiver is told in a sentence', () => {
  test('if a framework has parsed the body', () => {
    const parsed = JSON.parse(body)
    return expect(verify(parsed, signed(), secret)).rejects.toThrow('This one was parsed already: read the raw body')
  })

  test('if there is no secret', () => expect(verify(body, signed(), [])).rejects.toThrow('verify needs a secret'))

  test.each(['', 'secret', 'whsec_', 'whsec_§', 'whsec_ ', 'whsec_c2VjcmV0', 'whsec_MfKQ9r8GKYqrTwjUPD8I'])(
    'if the secret is "%s"',
    wrong => expect(verify(body, signed(), [wrong])).rejects.toThrow('a secret is whsec_ and then Base64'),
  )
})

test('the entry imports nothing, and takes 1.5 kB of a program', async () => {
  const entryPoints = [fileURLToPath(new URL('../../packages/sdk/src/webhooks.ts', import.meta.url))]
  const built = await build({ entryPoints, bundle: true, minify: true, format: 'esm', metafile: true, write: false })
  expect(Object.keys(built.metafile.inputs)).toHaveLength(1)
  expect(gzipSync(built.outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(1500)
})
