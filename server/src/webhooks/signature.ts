import { createHmac } from 'node:crypto'

/** One message to a receiver. A message that is sent again has the same id and a new time. */
interface Message {
  readonly id: string
  readonly body: string
  /** When it is sent, in milliseconds since 1970. */
  readonly at: number
}

/**
 * The headers by which a receiver checks who has sent a message (Standard Webhooks 1.0): one signature for each secret, of which the
 * receiver needs to know one. The secrets are texts such as `whsec_…`: their bytes follow in Base64.
 */
export function signedHeaders({ id, body, at }: Message, secrets: readonly string[]): Record<string, string> {
  const seconds = String(Math.floor(at / 1000))
  const signatures = secrets.map(secret => `v1,${signatureOf(`${id}.${seconds}.${body}`, secret)}`)
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

function signatureOf(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}
