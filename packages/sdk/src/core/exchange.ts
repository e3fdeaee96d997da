import type { WithResponse } from './answer.ts'
import type { Clock } from './clock.ts'
import { ConnectionLost, CrmError, refusal, TimedOut } from './errors.ts'
import { isObject, type JsonObject, parsed, textOf } from './json.ts'
import type { PreparedRequest } from './request.ts'
import { isRetryable, retryAfterOf } from './retry.ts'

/** How requests leave the program. */
export interface Wire {
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** A longer answer is refused, so that what answers cannot fill the memory. */
  readonly maxAnswerBytes: number
}

/**
 * One attempt: sends the request and reads the whole answer. Throws CrmError for everything but a success: TimedOut after the
 * milliseconds, ConnectionLost if the connection ends before the answer. If the signal aborts, throws its reason.
 */
export async function exchange(
  wire: Wire,
  request: PreparedRequest,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<WithResponse<unknown>> {
  signal?.throwIfAborted()
  const { operation, url, headers, body } = request
  // Not `AbortSignal.any`: signals that live long keep what it has made.
  const controller = new AbortController()
  const aborted = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', aborted, { once: true })
  let hasExpired = false
  const cancel = wire.clock.timeout(milliseconds, () => {
    hasExpired = true
    controller.abort()
  })
  try {
    // A redirect could turn a write into a GET, and lead the token elsewhere.
    const init: RequestInit = { method: operation.method, headers, redirect: 'manual', signal: controller.signal }
    const response = await wire.fetch(url, body === undefined ? init : { ...init, body })
    return readAnswer(request, response, await readText(request, response, wire.maxAnswerBytes))
  } catch (cause) {
    if (cause instanceof CrmError) throw cause
    signal?.throwIfAborted()
    const facts = { idempotencyKey: request.idempotencyKey, isRetryable: true, cause }
    const name = nameOf(request)
    if (!hasExpired)
      throw new ConnectionLost({
        ...facts,
        code: 'connection_lost',
        message: `${name} got no answer: ${reasonOf(cause)}`,
      })
    throw new TimedOut({ ...facts, code: 'timed_out', message: `${name} got no answer within ${milliseconds} ms` })
  } finally {
    cancel()
    signal?.removeEventListener('abort', aborted)
  }
}

/** The success in an answer. Throws CrmError for everything else. */
function readAnswer(request: PreparedRequest, response: Response, text: string): WithResponse<unknown> {
  const envelope = parsed(text)
  const { data, meta, error } = isObject(envelope) ? envelope : {}
  if (response.ok && data !== undefined)
    return { data, meta: isObject(meta) ? meta : {}, response, requestId: requestIdOf(response) }

  const code = isObject(error) && !response.ok ? textOf(error, 'code') : ''
  if (!isObject(error) || code === '')
    throw unexpected(request, response, 'without the envelope of the API: is `url` the address of a CRM?')
  throw failed(request, response, code, textOf(error, 'message'), error)
}

async function readText(request: PreparedRequest, response: Response, limit: number): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { value }: { readonly value?: Uint8Array | undefined } = await reader.read()
    if (value === undefined) return text + decoder.decode()
    size += value.byteLength
    if (size > limit) {
      await reader.cancel()
      throw unexpected(request, response, `with more than ${limit} bytes: ask for less at a time`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

function unexpected(request: PreparedRequest, response: Response, what: string): CrmError {
  const message = `${nameOf(request)} was answered ${response.status} ${what}`
  return failed(request, response, 'unexpected_answer', message, {})
}

function failed(
  { idempotencyKey }: PreparedRequest,
  response: Response,
  code: string,
  message: string,
  error: JsonObject,
): CrmError {
  const { status, headers } = response
  const details = isObject(error['details']) ? error['details'] : {}
  const retryAfter = retryAfterOf(headers, Date.now())
  const requestId = requestIdOf(response) || textOf(error, 'requestId')
  const facts = { requestId, retryAfter, isRetryable: isRetryable(status, code), idempotencyKey }
  return refusal({ code, message, status, details, ...facts })
}

function requestIdOf({ headers }: Response): string {
  return headers.get('x-request-id') ?? ''
}

/** The call, without what its parameters tell of people. */
function nameOf({ operation: { method, path } }: PreparedRequest): string {
  return `${method} ${path}`
}

/** Why there was no answer: `fetch failed` has the reason in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (isObject(cause) && textOf(cause, 'code') !== '') return textOf(cause, 'code')
  return error instanceof Error ? error.message : String(error)
}
