import type {
  ChangedType,
  ChangeMessage,
  FeedResetMessage,
  WebhookPausedMessage,
  WebhookTestMessage,
} from './generated/schemas.ts'

/** An event of the change feed, or one that is derived from it, such as `deal.won`. A receiver takes verbs that it does not know. */
type EventMessage = ChangeMessage & { readonly type: `${ChangedType}.${string}` }

/** What a webhook sends: an event of the feed, a notice about the feed or the webhook, or a test. `type` tells which. */
export type WebhookMessage = EventMessage | FeedResetMessage | WebhookPausedMessage | WebhookTestMessage

/** The raw body of a request, as text or as bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** Headers as `fetch` has them, or as an object whose names are in lower case, like those of `node:http`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** How many seconds the time of a message may be away from the clock of the receiver. */
const tolerance = 300

/** The bytes of a key that nobody guesses. The server makes keys of 32. */
const shortestKey = 16

/** The message was not signed with any of the secrets, or is too old. Answer 401. */
export class VerificationFailed extends Error {
  override readonly name = 'VerificationFailed'
}

/**
 * Proves that a message comes from the server, and parses it.
 *
 * @param body the body as it came: the signature covers its bytes, not the parsed JSON.
 * @param secrets the secret that `webhook create` has shown, with its `whsec_`; during a rotation both.
 * @throws VerificationFailed if a header is missing, the time is more than five minutes away, or no signature is right.
 * @throws TypeError if the body was parsed before, or a secret is none: it is not `whsec_` and the Base64 of 16 bytes or more.
 */
export async function verify(
  body: RawBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<WebhookMessage> {
  const bytes = bytesOf(body)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const told = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap(signature => (signature.startsWith('v1,') ? [signature.slice(3)] : []))
  const distance = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || distance > tolerance)
    throw new VerificationFailed(`webhook-timestamp is more than ${tolerance} seconds away from this clock`)
  const signed = joined(encode(`${id}.${timestamp}.`), bytes)
  let isGenuine = false
  for (const key of keysOf(secrets)) {
    const right = await signatureOf(signed, key)
    for (const signature of told) if (isEqual(signature, right)) isGenuine = true
  }
  if (!isGenuine) throw new VerificationFailed('no signature in webhook-signature was made with a secret given here')
  return JSON.parse(new TextDecoder().decode(bytes))
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return joined(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  throw new TypeError(
    'verify takes the body as it came, as text or bytes. This one was parsed already: read the raw body, as with await request.text() or express.raw({ type: "application/json" })',
  )
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : Reflect.get(headers, name)
  if (typeof value !== 'string' || value === '') throw new VerificationFailed(`the header ${name} is missing`)
  return value
}

type Bytes = Uint8Array<ArrayBuffer>

function encode(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text))
}

function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let end = 0
  for (const part of parts) {
    whole.set(part, end)
    end += part.length
  }
  return whole
}

function keysOf(secrets: string | readonly string[]): Bytes[] {
  const given = typeof secrets === 'string' ? [secrets] : secrets
  if (!given?.length) throw new TypeError('verify needs a secret')
  return given.map(secret => {
    const key = decoded(/^whsec_(.+)$/.exec(secret)?.[1] ?? '')
    if (key.length >= shortestKey) return key
    throw new TypeError('a secret is whsec_ and then Base64, as webhook create has shown it')
  })
}

/** The bytes of Base64. None if it is something else. */
function decoded(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** The signature of Standard Webhooks 1.0, in Base64. */
async function signatureOf(signed: Bytes, secret: Bytes): Promise<string> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))))
}

/** Compares in a time that tells nothing about where texts differ. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
