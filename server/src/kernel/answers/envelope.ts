import { type Conventions, dataAndMeta } from '../conventions.ts'
import type { Refusal } from '../errors/index.ts'
import { attachment, type Call, type Reply, type StreamedReply } from '../input/call.ts'
import type { Outcome, StreamedOutcome, WrittenOutcome } from '../operation.ts'
import { type JsonText, listText, partsOf } from '../schema/index.ts'

type Identified = Pick<Call, 'requestId' | 'clientRequestId'>
type SuccessForm = Pick<Conventions, 'success'>

interface Projected {
  readonly data: unknown
  readonly redacted: readonly string[]
}

/** The success envelope. A stored body is sent unchanged if nothing has to be redacted. */
export function reply(
  conventions: Conventions,
  call: Identified,
  outcome: Outcome,
  projected: Projected,
  headers: Headers,
): Reply {
  const stored = storedBody(conventions, outcome, projected)
  const body = stored ?? envelopeText(conventions, projected.data, metaOf(outcome, projected))
  return replyWith(call, outcome, headers, body)
}

/** The same for a large answer, in short steps. */
export function* replyInSteps(
  conventions: Conventions,
  call: Identified,
  outcome: Outcome,
  projected: Projected,
  headers: Headers,
): Generator<unknown, Reply> {
  const stored = storedBody(conventions, outcome, projected)
  const body = stored ?? (yield* envelopeInSteps(conventions, projected.data, metaOf(outcome, projected)))
  return replyWith(call, outcome, headers, yield* partsOf(body))
}

/** The response for a success whose envelope is already written. */
export function replyWritten(call: Identified, { status, written }: WrittenOutcome, headers: Headers): Reply {
  return { status, headers: headersOf(call, headers, {}), body: written }
}

function storedBody({ success }: Conventions, outcome: Outcome, { data, redacted }: Projected): JsonText | undefined {
  const isWhole = redacted.length === 0 && data === outcome.data
  return isWhole && success === dataAndMeta ? outcome.body : undefined
}

function metaOf({ meta }: Outcome, { redacted }: Projected): Readonly<Record<string, unknown>> {
  return redacted.length === 0 ? meta : { ...meta, redacted }
}

function replyWith(call: Identified, outcome: Outcome, headers: Headers, body: Reply['body']): Reply {
  const { status, replayed, retryAfterSeconds } = outcome
  const special: Record<string, string> = replayed ? { 'Idempotent-Replayed': 'true' } : {}
  if (retryAfterSeconds !== undefined) special['Retry-After'] = String(retryAfterSeconds)
  return { status, headers: headersOf(call, headers, special), body }
}

/** The text of a success. */
export function envelopeText(form: SuccessForm, data: unknown, meta: Readonly<Record<string, unknown>>): string {
  return `${form.success.before}${JSON.stringify(data)}${endOfSuccess(form, meta)}`
}

/** The text of a success behind the JSON of its data. */
export function endOfSuccess({ success }: SuccessForm, meta: Readonly<Record<string, unknown>>): string {
  return success.hasMeta ? `,"meta":${JSON.stringify(meta)}}` : '}'
}

/** The same text in short steps. Only a list can be long, so only a list is divided. */
export function* envelopeInSteps(
  conventions: SuccessForm,
  data: unknown,
  meta: Readonly<Record<string, unknown>>,
): Generator<unknown, JsonText> {
  if (!Array.isArray(data)) return envelopeText(conventions, data, meta)
  return yield* listText(`${conventions.success.before}[`, data, `]${endOfSuccess(conventions, meta)}`)
}

/** The head of a streamed success. A stream has no envelope. */
export function replyStreamed(call: Identified, { status, stream }: StreamedOutcome, headers: Headers): StreamedReply {
  const { mediaType, fileName, length } = stream
  const special = {
    'Content-Type': mediaType,
    ...(fileName === undefined ? {} : { 'Content-Disposition': attachment(fileName) }),
    ...(length === undefined ? {} : { 'Content-Length': String(length) }),
  }
  return { status, headers: headersOf(call, headers, special), stream }
}

/** A response without a body. */
export function replyEmpty(call: Identified, status: number, headers: Headers): Reply {
  const { 'Content-Type': _, ...head } = headersOf(call, headers, {})
  return { status, headers: head, body: '' }
}

/** The error envelope, in the form of its part of the API (contract sections 0, 13 and 17.21). */
export function replyRefusal(
  { envelope }: Conventions,
  call: Identified,
  refusal: Refusal,
  headers: Headers = {},
): Reply {
  const { code, message, details } = refusal
  return {
    status: refusal.status,
    code,
    headers: headersOf(call, headers, refusalHeaders(refusal)),
    body: JSON.stringify({ ...envelope.failure, error: { code, message, details, requestId: call.requestId } }),
  }
}

function refusalHeaders({ status, code, details }: Refusal): Record<string, string> {
  if (code === 'invalid_token') return { 'WWW-Authenticate': 'Bearer' }
  if (status === 429) return { 'Retry-After': String(details.retryAfterSeconds) }
  if (status === 503) return { 'Retry-After': details.reason === 'read_only' ? '60' : '5' }
  return code === 'idempotency_in_progress' ? { 'Retry-After': '1' } : {}
}

type Headers = Readonly<Record<string, string>>

function headersOf({ requestId, clientRequestId }: Identified, rate: Headers, special: Headers): Headers {
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
