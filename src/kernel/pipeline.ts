import { addressBucket, type Caller } from './auth/index.ts'
import type { Call, Reply } from './call.ts'
import { reply, replyRefusal } from './envelope.ts'
import { type Issue, malformed, notFound, Refusal, refuse } from './errors/index.ts'
import { explainFailure } from './failures.ts'
import { isIdempotencyKey } from './idempotency/index.ts'
import { parseQuery } from './input/index.ts'
import { failedAuthenticationLimit, rateWindowSeconds } from './limits/index.ts'
import type { Operation, Request } from './operation.ts'
import { explainMissing } from './resource/merge/explain-missing.ts'
import { isUuid, parseJson } from './schema/index.ts'
import type { Services } from './services.ts'

/**
 * Every request passes these gates in this order; the first that refuses answers (contract section 1). The shell has
 * assigned the request id (gate 0) and found the operation (gate 1).
 */
export async function handle(operation: Operation, call: Call, services: Services): Promise<Reply> {
  const headers: Record<string, string> = {}
  try {
    const caller = await authenticate(call, services)
    if (caller instanceof Refusal) return replyRefusal(call, caller, headers)

    const refusal = requireScopes(operation, call, caller) ?? requireProvider(operation, caller)
    if (refusal !== null) return replyRefusal(call, refusal, headers)

    const limited = await limitRate(call, caller, services, headers)
    if (limited !== null) return replyRefusal(call, limited, headers)

    const body = await call.readBody(operation.bodyLimit)
    if (body instanceof Refusal) return replyRefusal(call, body, headers)

    const request = parse(operation, call, caller, body)
    if (request instanceof Refusal) return replyRefusal(call, request, headers)

    const guarded = requireValueScopes(operation, request)
    if (guarded !== null) return replyRefusal(call, guarded, headers)

    // Gates 9 to 16: in one transaction for what writes, see mutation.ts.
    const outcome = await explainMissing(await operation.execute(request, services), request, services)
    return outcome instanceof Refusal
      ? replyRefusal(call, outcome, headers)
      : reply(call, outcome, operation.project(outcome.data, caller), headers)
  } catch (error) {
    return replyRefusal(call, explainFailure(error, operation, call, services), headers)
  }
}

/** Gate 2. All failures look alike; past the limit they answer 429, while valid tokens are still served. */
export async function authenticate(
  call: Pick<Call, 'header' | 'address'>,
  services: Services,
): Promise<Caller | Refusal> {
  const caller = await services.authentication.authenticate(tokenOf(call), call.address)
  if (caller !== null) return caller
  const failures = await services.counters.add(`failed:${addressBucket(call.address)}`)
  if (failures === null || failures <= failedAuthenticationLimit) return refuse('invalid_token')
  const details = {
    bucket: 'failed_authentication',
    limit: failedAuthenticationLimit,
    windowSeconds: rateWindowSeconds,
  }
  return refuse('rate_limit_exceeded', { ...details, retryAfterSeconds: services.counters.secondsLeft() })
}

function tokenOf(call: Pick<Call, 'header'>): string | null {
  const bearer = /^Bearer +(\S+)$/iu.exec(call.header('authorization') ?? '')?.[1] ?? null
  const direct = call.header('x-api-token') ?? null
  if (call.header('authorization') !== undefined && bearer === null) return null
  return bearer !== null && direct !== null && bearer !== direct ? null : (bearer ?? direct)
}

/** Gate 3. */
function requireScopes(operation: Operation, call: Call, caller: Caller): Refusal | null {
  const required = [...operation.scopes, ...(operation.scopesOf?.(call.query, caller) ?? [])]
  return missingScopes(required, caller)
}

/** Gate 4. */
function requireProvider(operation: Operation, { organization }: Caller): Refusal | null {
  const concerned = operation.path.startsWith('/api/v1/crm/')
  return concerned && organization.crmProvider !== 'built_in' ? refuse('crm_provider_not_supported') : null
}

/** Gate 5. From here on the answer carries the rate headers. */
async function limitRate(call: Call, { application }: Caller, { counters }: Services, headers: Record<string, string>) {
  const bucket = call.method === 'GET' || call.method === 'HEAD' ? 'read' : 'write'
  const limit = bucket === 'read' ? application.rateRead : application.rateWrite
  const used = await counters.add(`${bucket}:${application.id}`)
  if (used === null) return refuse('rate_limiter_unavailable')
  const reset = counters.secondsLeft()
  headers['RateLimit-Limit'] = String(limit)
  headers['RateLimit-Remaining'] = String(Math.max(0, limit - used))
  headers['RateLimit-Reset'] = String(reset)
  if (used <= limit) return null
  return refuse('rate_limit_exceeded', { bucket, limit, windowSeconds: rateWindowSeconds, retryAfterSeconds: reset })
}

/** Gate 7: everything that the request alone decides, all issues at once; a malformed id is an unknown one. */
function parse(operation: Operation, call: Call, caller: Caller, bytes: Uint8Array): Request | Refusal {
  for (const value of Object.values(call.path)) if (!isUuid(value)) return notFound()
  const { values: query, issues } = parseQuery(operation.query, call.query)
  const idempotencyKey = call.header('idempotency-key') ?? ''
  if (operation.idempotent && !isIdempotencyKey(idempotencyKey)) issues.push(wrongIdempotencyKey(idempotencyKey))
  const body = parseBody(operation, call, bytes)
  const value = 'value' in body ? body.value : undefined
  const wrong = [...issues, ...('issues' in body ? body.issues : (operation.inspect?.(query, value) ?? []))]
  if (wrong.length > 0) return malformed(wrong)
  const { requestId, clientRequestId } = call
  const path = Object.fromEntries(Object.entries(call.path).map(([name, id]) => [name, id.toLowerCase()]))
  const sentBody = 'sent' in body ? body.sent : undefined
  return { operation, caller, path, query, body: value, sentBody, idempotencyKey, requestId, clientRequestId }
}

/** JSON has one encoding; another one named would be read wrongly. */
const jsonType = /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?\s*$/iu
const noEncoding = /^(identity)?$/iu

function parseBody(
  operation: Operation,
  call: Call,
  bytes: Uint8Array,
): { value: unknown; sent: unknown } | { issues: readonly Issue[] } {
  let json: unknown
  if (bytes.length > 0) {
    if (operation.body === null) return { issues: [{ path: '', rule: 'body', message: 'This request takes no body' }] }
    const issues = wrongContent(call)
    if (issues.length > 0) return { issues }
    const parsed = parseJson(bytes)
    if ('issue' in parsed) return { issues: [parsed.issue] }
    json = parsed.value
  }
  if (operation.body === null) return { value: undefined, sent: undefined }
  if (json === undefined && operation.body.required) {
    return { issues: [{ path: '', rule: 'required', message: 'A JSON body is required' }] }
  }
  const { value, issues } = operation.body.parse(json)
  return issues.length > 0 ? { issues } : { value, sent: json }
}

/** What the head says of a body, so that it cannot be read. */
function wrongContent(call: Call): Issue[] {
  const issues: Issue[] = []
  if (!jsonType.test(call.header('content-type') ?? '')) {
    issues.push({ path: 'header:Content-Type', rule: 'content_type', message: 'application/json is expected' })
  }
  if (!noEncoding.test(call.header('content-encoding') ?? '')) {
    const message = 'Send the body as it is: no encoding is taken'
    issues.push({ path: 'header:Content-Encoding', rule: 'content_encoding', message })
  }
  return issues
}

function wrongIdempotencyKey(key: string): Issue {
  const path = 'header:Idempotency-Key'
  if (key === '') return { path, rule: 'required', message: 'Idempotency-Key is required' }
  return { path, rule: 'format', message: 'Idempotency-Key takes 1 to 255 visible ASCII characters' }
}

/** Gate 8. */
function requireValueScopes(operation: Operation, request: Request): Refusal | null {
  const required = operation.valueScopes?.(request.body) ?? []
  return missingScopes(required, request.caller)
}

function missingScopes(required: readonly string[], caller: Caller): Refusal | null {
  const missing = required.filter(scope => !caller.scopes.has(scope))
  return missing.length === 0
    ? null
    : refuse('insufficient_scope', { requiredScopes: required, missingScopes: missing })
}
