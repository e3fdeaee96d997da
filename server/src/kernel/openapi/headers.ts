import { limits } from '../limits/index.ts'
import type { JsonObject } from '../schema/index.ts'

const integer = { type: 'integer', minimum: 0 }
const counted = 'On answers after authorization and provider check.'

/** Components of answers' headers, by name. */
export const responseHeaders: JsonObject = {
  'X-Request-Id': {
    description: 'The id that was sent, if it was a safe one, else that of the server.',
    schema: { type: 'string', maxLength: limits.requestIdLength },
  },
  'RateLimit-Limit': { description: `Requests that a window allows. ${counted}`, schema: integer },
  'RateLimit-Remaining': { description: `Requests that this window still allows. ${counted}`, schema: integer },
  'RateLimit-Reset': { description: `Seconds until the window ends. ${counted}`, schema: { ...integer, maximum: 60 } },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: integer },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' } },
}

const rates = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** References to the headers of a success. */
export function headersOfSuccess(idempotent: boolean): JsonObject {
  return references(['X-Request-Id', ...rates, ...(idempotent ? ['Idempotent-Replayed'] : [])])
}

/** References to the headers of a failure: 401 and 503 are answered before anything is counted. */
export function headersOfError(status: number): JsonObject {
  if (status === 401) return references(['X-Request-Id', 'WWW-Authenticate'])
  if (status === 503) return references(['X-Request-Id', 'Retry-After'])
  // 409 idempotency_in_progress says when to come back, as 429 does.
  const waits = status === 429 || status === 409
  return references(['X-Request-Id', ...rates, ...(waits ? ['Retry-After'] : [])])
}

function references(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
