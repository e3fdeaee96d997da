import type { Call, Reply } from './call.ts'
import type { Refusal } from './errors/index.ts'
import type { Outcome } from './operation.ts'
import { type JsonText, listText, partsOf } from './schema/index.ts'

type Addressed = Pick<Call, 'url' | 'requestId' | 'clientRequestId'>

interface Projected {
  readonly data: unknown
  readonly redacted: readonly string[]
}

/** The success envelope; what was stored is sent as it is when nothing had to be redacted. */
export function reply(call: Addressed, outcome: Outcome, projected: Projected, headers: Headers): Reply {
  const body = storedBody(outcome, projected) ?? envelopeText(projected.data, metaOf(outcome, projected))
  return replyWith(call, outcome, headers, body)
}

/** The same of a large answer, in steps that each take little time. */
export function* replyInSteps(
  call: Addressed,
  outcome: Outcome,
  projected: Projected,
  headers: Headers,
): Generator<unknown, Reply> {
  const stored = storedBody(outcome, projected) ?? (yield* envelopeInSteps(projected.data, metaOf(outcome, projected)))
  return replyWith(call, outcome, headers, yield* partsOf(stored))
}

function storedBody(outcome: Outcome, { data, redacted }: Projected): JsonText | undefined {
  return redacted.length === 0 && data === outcome.data ? outcome.body : undefined
}

function metaOf({ meta }: Outcome, { redacted }: Projected): Readonly<Record<string, unknown>> {
  return redacted.length === 0 ? meta : { ...meta, redacted }
}

function replyWith(call: Addressed, outcome: Outcome, headers: Headers, body: Reply['body']): Reply {
  const replayed: Record<string, string> = outcome.replayed ? { 'Idempotent-Replayed': 'true' } : {}
  return { status: outcome.status, headers: headersOf(call, headers, replayed), body }
}

function envelopeText(data: unknown, meta: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ data, meta })
}

/** `{data, meta}` in steps that each take little time: only that of a list can be long. */
export function* envelopeInSteps(data: unknown, meta: Readonly<Record<string, unknown>>): Generator<unknown, JsonText> {
  if (!Array.isArray(data)) return envelopeText(data, meta)
  return yield* listText('{"data":[', data, `],"meta":${JSON.stringify(meta)}}`)
}

/** The error envelope, in the form of the prefix (contract sections 0, 13 and 17.21). */
export function replyRefusal(call: Addressed, refusal: Refusal, headers: Headers = {}): Reply {
  const { code, message, details } = refusal
  const error = { code, message, details, requestId: call.requestId }
  const external = /^\/api\/v1\/(ai-agents\/)?external(\/|$|\?)/u.test(call.url)
  return {
    status: refusal.status,
    headers: headersOf(call, headers, refusalHeaders(refusal)),
    body: JSON.stringify(external ? { status: 'ERROR', error } : { error }),
  }
}

function refusalHeaders({ status, code, details }: Refusal): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (status === 429) return { 'Retry-After': String(details.retryAfterSeconds) }
  if (status === 503) return { 'Retry-After': '5' }
  return code === 'idempotency_in_progress' ? { 'Retry-After': '1' } : {}
}

type Headers = Readonly<Record<string, string>>

function headersOf({ requestId, clientRequestId }: Addressed, rate: Headers, special: Headers): Headers {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': clientRequestId ?? requestId,
    'Cache-Control': 'no-store',
    Vary: 'Authorization',
    'X-Content-Type-Options': 'nosniff',
    ...rate,
    ...special,
  }
}
