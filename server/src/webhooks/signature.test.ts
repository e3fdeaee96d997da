import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signedHeaders } from './signature.ts'

const drawn = () => `whsec_${randomBytes(32).toString('base64')}`
const [secret, former, other] = [drawn(), drawn(), drawn()]
const body = '{"type":"contact.created","data":{"name":"Ž 😀"}}'
const at = Date.now()
const message = { id: 'chg_1', body, at }

describe('the headers of a message', () => {
  it('are accepted by the library of Standard Webhooks, with the secret alone', () => {
    const headers = signedHeaders(message, [secret])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature found')
  })

  it('are accepted with each of two secrets', () => {
    const headers = signedHeaders(message, [secret, former])
    for (const known of [secret, former]) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature found')
  })

  it.each([
    ['another body', `${body} `, {}],
    ['another id', body, { 'webhook-id': 'chg_2' }],
    ['another time', body, { 'webhook-timestamp': String(Math.floor(at / 1000) - 1) }],
  ])('are refused with %s', (_, received, changed) => {
    const headers = { ...signedHeaders(message, [secret]), ...changed }
    expect(() => new Webhook(secret).verify(received, headers)).toThrow('No matching signature found')
  })

  it('are refused when they are old', () => {
    const headers = signedHeaders({ ...message, at: at - 3_600_000 }, [secret])
    expect(() => new Webhook(secret).verify(body, headers)).toThrow('Message timestamp too old')
  })

  it('sign what the library signs', () => {
    const time = new Date(at)
    const { 'webhook-signature': signature } = signedHeaders(message, [secret])
    expect(signature).toBe(new Webhook(secret).sign('chg_1', time, body))
  })
})
