import { limits } from '../limits/index.ts'
import type { Operation } from '../operation.ts'
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

/** No components, because a document without a deprecated route would have components that nothing refers to. */
const headersOfDeprecated: JsonObject = {
  Deprecation: {
    description: 'Since when the route is deprecated, as RFC 9745 has it. On every answer of such a route.',
    schema: { type: 'string', examples: ['@1801440000'] },
  },
  Sunset: {
    description: 'When the route goes, six months later or more (RFC 8594). On every answer of a deprecated route.',
    schema: { type: 'string', examples: ['Thu, 01 Jul 2027 00:00:00 GMT'] },
  },
  Link: {
    description: 'What takes the place of a deprecated route. On every answer of such a route.',
    schema: { type: 'string', examples: ['</api/v1/crm/contacts>; rel="successor-version"'] },
  },
}

const rates = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** References to the headers of a success. */
export function headersOfSuccess({
  idempotent,
  deprecation,
  query,
}: Pick<Operation, 'idempotent' | 'deprecation' | 'query'>): JsonObject {
  const replayed = idempotent ? ['Idempotent-Replayed'] : []
  // A request that finds no room to wait learns when to ask again.
  const waits = 'wait' in query ? ['Retry-After'] : []
  const usual = references(['X-Request-Id', ...rates, ...replayed, ...waits])
  return deprecation === undefined ? usual : { ...usual, ...headersOfDeprecated }
}

/** References to the headers of a failure: 401 and 503 are answered before requests are counted. */
export function headersOfError(status: number): JsonObject {
  if (status === 401) return references(['X-Request-Id', 'WWW-Authenticate'])
  if (status === 503) return references(['X-Request-Id', 'Retry-After'])
  // 409 idempotency_in_progress says when to retry, as 429 does.
  const waits = status === 429 || status === 409
  return references(['X-Request-Id', ...rates, ...(waits ? ['Retry-After'] : [])])
}

function references(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
