import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers of a delivery, with their names in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>

/** How many seconds the time of a delivery may be away from the clock here. */
const tolerance = 300

/** The keys in a text of secrets with spaces between. Null if one of them is none: not `whsec_` and the Base64 of 16 bytes or more. */
export function keysOf(secrets: string): readonly Buffer[] | null {
  const keys = secrets
    .split(/\s+/u)
    .filter(secret => secret !== '')
    .map(secret => Buffer.from(/^whsec_([A-Za-z0-9+/]+=*)$/u.exec(secret)?.[1] ?? '', 'base64'))
  return keys.length > 0 && keys.every(({ length }) => length >= 16) ? keys : null
}

/**
 * The id of a delivery that was signed with one of the keys as Standard Webhooks defines, no more than five minutes ago. Null if it was not.
 *
 * @param body the body as it came: the signature covers its bytes.
 */
export function verifiedId(
  body: Buffer,
  headers: DeliveryHeaders,
  keys: readonly Buffer[],
  now: number,
): string | null {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name => headers[`webhook-${name}`])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return null
  if (!/^\d+$/u.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance) return null
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const right = keys.map(key => createHmac('sha256', key).update(signed).digest())
  const told = signatures
    .split(' ')
    .filter(signature => signature.startsWith('v1,'))
    .map(signature => Buffer.from(signature.slice(3), 'base64'))
  return told.some(one => right.some(other => one.length === other.length && timingSafeEqual(one, other))) ? id : null
}

/** How many ids are remembered. A delivery is repeated for as long as it fails, each time with a signature of that moment. */
const mostIds = 1000

/** The ids that were taken in this process, by node. n8n gives each delivery a copy of its memory, in which two at once do not see each other. */
const takenBy = new Map<string, readonly string[]>()

/**
 * Takes an id for a node, which `key` names, and returns all ids that the node has taken, this one at the end; null if it is among them.
 * `stored` are those in the memory of the node.
 */
export function takeId(key: string, stored: readonly string[], id: string): string[] | null {
  const taken = new Set([...stored, ...(takenBy.get(key) ?? [])])
  if (taken.has(id)) return null
  const all = [...taken, id].slice(-mostIds)
  takenBy.set(key, all)
  return all
}
