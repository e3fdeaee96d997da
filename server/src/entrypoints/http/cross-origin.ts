import type { IncomingMessage, ServerResponse } from 'node:http'
import { responseHeaders } from '../../kernel/openapi/index.ts'

/**
 * What pages of other origins may read: the API and the document that describes it. No cookie authenticates a request there, so CORS gives
 * nothing away (contract section 1).
 */
const openPaths = /^\/(?:api\/v1\/|openapi\.json(?:\?|$))/u

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, X-Api-Token, Content-Type, Idempotency-Key, X-Request-Id, traceparent, tracestate',
  // The longest time that every browser respects.
  'Access-Control-Max-Age': '7200',
}
const exposed = [...Object.keys(responseHeaders), 'Deprecation', 'Sunset', 'Link', 'Content-Disposition'].join(', ')

/** The document is open even if the API is not: the reference page, which has an origin of its own, reads it. */
const openAlways = /^\/openapi\.json(?:\?|$)/u

/** Whether pages of any origin may read what is answered at this address. */
const isOpen = ({ url = '' }: IncomingMessage, crossOrigin = true): boolean =>
  (crossOrigin ? openPaths : openAlways).test(url)

/**
 * Lets pages of any origin read the answer, also a refusal or a stream. Never with credentials. `crossOrigin` says whether they may call the
 * API.
 */
export function openToPages(request: IncomingMessage, response: ServerResponse, crossOrigin: boolean): void {
  if (!isOpen(request, crossOrigin)) return
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', exposed)
}

/** The headers that answer a preflight; null for any other request. */
export function preflightAnswer(request: IncomingMessage): Readonly<Record<string, string>> | null {
  const { method, headers } = request
  const isAsked = headers.origin !== undefined && headers['access-control-request-method'] !== undefined
  return method === 'OPTIONS' && isAsked && isOpen(request) ? preflightHeaders : null
}
