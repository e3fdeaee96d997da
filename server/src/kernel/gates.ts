import { inSlices, type Visit } from './admission/index.ts'
import { addressBucket, type Caller, refuseMissingScopes } from './auth/index.ts'
import type { Call, Reply, StreamedReply } from './call.ts'
import { deprecationHeaders } from './deprecation.ts'
import { reply, replyInSteps, replyRefusal, replyStreamed, replyWritten } from './envelope.ts'
import { Refusal, refuse } from './errors/index.ts'
import { explainMissing } from './explain-missing.ts'
import { explainFailure } from './failures.ts'
import type { FormDeclaration } from './input/index.ts'
import { bounds, failedAuthenticationLimit, rateWindowSeconds } from './limits/index.ts'
import type { Operation, Outcome, Request, StreamedOutcome, Success, WrittenOutcome } from './operation.ts'
import { limitRate } from './rate-limit.ts'
import { sizeOf } from './schema/index.ts'
import type { Services } from './services.ts'
import { readFormRequest, readRequest } from './syntax.ts'
import { tellSpan } from './tracing/index.ts'
import { inRoom, readForm } from './uploads/index.ts'

/**
 * Every request passes these gates in this order. The first gate that refuses answers (contract section 1). Before, the
 * shell has assigned the request id (gate 0) and found the operation (gate 1).
 */
export async function handle(operation: Operation, call: Call, services: Services): Promise<Reply | StreamedReply> {
  const { surface } = operation
  const headers: Record<string, string> = deprecationHeaders(operation.deprecation)
  const explained = (error: unknown) => explainFailure(error, operation, call, services)
  const caller = await authenticate(call, services).catch(explained)
  if (caller instanceof Refusal) return replyRefusal(surface, call, caller, headers)
  const answer = await answerTo(operation, call, caller, headers, services).catch(error =>
    replyRefusal(surface, call, explained(error), headers),
  )
  services.authentication.requests.note(caller.organization.id, caller.application.id, answer.status >= 400)
  return answer
}

/** Gates 3 to 16. */
async function answerTo(
  operation: Operation,
  call: Call,
  caller: Caller,
  headers: Record<string, string>,
  services: Services,
): Promise<Reply | StreamedReply> {
  const { surface } = operation
  call.authenticated(caller.application.id)
  tellSpan({ 'crm.organization.id': caller.organization.id, 'crm.application.id': caller.application.id })

  const refusal = requireScopes(operation, call, caller) ?? requireProvider(operation, caller)
  if (refusal !== null) return replyRefusal(surface, call, refusal, headers)

  const limited = await limitRate(surface, call, caller, services, headers)
  if (limited !== null) return replyRefusal(surface, call, limited, headers)

  const visit = services.admission.enter(caller.organization.id, call.whenGone)
  if (visit instanceof Refusal) return replyRefusal(surface, call, visit, headers)
  call.whenClosed(() => visit.end())

  try {
    const outcome = await serve(operation, call, caller, visit, services)
    if (outcome instanceof Refusal) return replyRefusal(surface, call, outcome, headers)
    if ('stream' in outcome) return streamed(operation, call, outcome, headers)
    const answer = await write(operation, call, caller, outcome, headers, visit, services)
    const size = sizeOf(answer.body)
    if (size > smallAnswer) visit.takeAnswer(size)
    return answer
  } finally {
    visit.leaveLarge()
  }
}

/** Gates 6 to 16. */
async function serve(
  operation: Operation,
  call: Call,
  caller: Caller,
  visit: Visit,
  services: Services,
): Promise<Success | Refusal> {
  if (operation.body?.form === 'multipart') return serveForm(operation, operation.body, call, caller, visit, services)
  const body = await call.readBody(operation.bodyLimit, bytes => visit.takeBody(bytes))
  if (body instanceof Refusal) return body
  const request = await readRequest(operation, call, caller, visit, body, services.secret)
  return request instanceof Refusal ? request : execute(request, services)
}

/** Gates 6 to 16 for a form. Its files are kept until the request was executed or refused. */
async function serveForm(
  operation: Operation,
  declared: FormDeclaration,
  call: Call,
  caller: Caller,
  visit: Visit,
  services: Services,
): Promise<Success | Refusal> {
  return inRoom(services, visit, async room => {
    const form = await readForm(declared, call, room)
    if (form instanceof Refusal) return form
    const request = readFormRequest(operation, call, caller, visit, form, services.secret)
    return request instanceof Refusal ? request : execute(request, services)
  })
}

/** Gates 8 to 16. */
async function execute(request: Request, services: Services): Promise<Success | Refusal> {
  const { operation } = request
  const refusal = requireValueScopes(operation, request)
  if (refusal !== null) return refusal
  // For writes gates 9 to 16 are one transaction: see mutation.ts.
  const outcome = await operation.execute(request, services)
  return outcome instanceof Refusal ? explainMissing(outcome, request, services) : outcome
}

/** The head of a streamed answer. Only a GET can stream: answers of other methods are stored, so they must be whole. */
function streamed({ id, method }: Operation, call: Call, outcome: StreamedOutcome, headers: Record<string, string>) {
  if (method !== 'GET') throw new Error(`${id} is answered with a stream, which only a GET can be`)
  return replyStreamed(call, outcome, headers)
}

/** Writes the answer, a large one in slices. */
async function write(
  { surface, project }: Operation,
  call: Call,
  caller: Caller,
  outcome: Outcome | WrittenOutcome,
  headers: Record<string, string>,
  visit: Visit,
  services: Services,
): Promise<Reply> {
  if ('written' in outcome) return replyWritten(call, outcome, headers)
  const projected = project(outcome.data, caller, services)
  const isLarge = visit.isLarge || sizeOf(outcome.body ?? '') > bounds.large.most
  if (!isLarge) return reply(surface, call, outcome, projected, headers)
  return inSlices(replyInSteps(surface, call, outcome, projected, headers))
}

/** Answers up to this size are not counted: the number of requests bounds them. */
const smallAnswer = 16 * 1024

/**
 * Gate 2. All failures look alike. Above the limit of failures they answer 429, while valid tokens are still served.
 */
async function authenticate(call: Pick<Call, 'header' | 'address'>, services: Services): Promise<Caller | Refusal> {
  const caller = await services.authentication.authenticate(tokenOf(call), call.address)
  return caller ?? refuseToken(call, services)
}

/** Refuses a call that has no token which the operator has made for `/metrics`; null where it has one. */
export async function authenticateForMetrics(
  call: Pick<Call, 'header' | 'address'>,
  services: Services,
): Promise<Refusal | null> {
  const mayRead = await services.authentication.mayReadMetrics(tokenOf(call), call.address)
  return mayRead ? null : refuseToken(call, services)
}

async function refuseToken(call: Pick<Call, 'address'>, services: Services): Promise<Refusal> {
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
  return refuseMissingScopes(required, caller)
}

/** Gate 4. */
function requireProvider({ surface }: Operation, { organization }: Caller): Refusal | null {
  return surface.needsBuiltInCrm && organization.crmProvider !== 'built_in'
    ? refuse('crm_provider_not_supported')
    : null
}

/** Gate 8. */
function requireValueScopes(operation: Operation, request: Request): Refusal | null {
  const required = operation.valueScopes?.(request.body) ?? []
  return refuseMissingScopes(required, request.caller)
}
