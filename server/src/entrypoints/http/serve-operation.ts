import {
  atOnce,
  bounds,
  type Call,
  type Caller,
  type DecodedBody,
  enter,
  explainFailure,
  type FormDeclaration,
  type Issue,
  inRoom,
  inSlices,
  isJsonType,
  type Operation,
  type Outcome,
  passAfterBody,
  Refusal,
  type Reply,
  type RequestLease,
  readForm,
  refuseEncoding,
  reply,
  replyInSteps,
  replyRefusal,
  replyStreamed,
  replyWritten,
  run,
  type Services,
  type StreamedOutcome,
  type StreamedReply,
  type Success,
  tellSpan,
  type WrittenOutcome,
} from '../../kernel/index.ts'
import { parseJson, shortBytes, sizeOf } from '../../kernel/schema/index.ts'
import { type Facts, traced } from '../../kernel/tracing/index.ts'
import type { HttpEntry } from './entries.ts'
import type { HttpRoute } from './http-route.ts'
import type { Offer } from './offer.ts'

/** The route at which an entry offers an operation. */
export function routeOf(offered: Offer, services: Services): HttpRoute {
  const {
    entry: { prefix },
    operation: { id, method },
    path,
  } = offered
  return { id, method, path, prefix, isGuarded: true, serve: call => serveOperation(offered, call, services) }
}

/** Answers the call of an offered operation: authentication, the gates before the body, the body, the gates after it, and the answer. */
async function serveOperation(
  { entry, operation }: Pick<Offer, 'entry' | 'operation'>,
  call: Call,
  services: Services,
): Promise<Reply | StreamedReply> {
  const { conventions } = operation
  const headers = entry.headers(operation)
  const explained = (error: unknown) => explainFailure(error, operation, call, services)
  const caller = await entry.authenticate(call, services, operation).catch(explained)
  if (caller instanceof Refusal) return replyRefusal(conventions, call, caller, headers)
  const answer = await answerTo({ entry, operation }, call, caller, headers, services).catch(error =>
    replyRefusal(conventions, call, explained(error), headers),
  )
  // The usage of applications does not count people.
  if ('token' in caller.credential)
    services.authentication.requests.note(caller.organization.id, caller.keysOf, answer.status >= 400)
  return answer
}

/** Gates 3 to 16, and the answer. */
async function answerTo(
  { entry, operation }: Pick<Offer, 'entry' | 'operation'>,
  call: Call,
  caller: Caller,
  headers: Record<string, string>,
  services: Services,
): Promise<Reply | StreamedReply> {
  const { conventions } = operation
  const { application } = caller.credential
  call.authenticated(application.id)
  tellSpan({ 'crm.organization.id': caller.organization.id, 'crm.application.id': application.id })

  const { query, requestId, clientRequestId, address, whenGone, whenLeft, waited } = call
  const arrival = {
    query,
    requestId,
    clientRequestId,
    address,
    whenGone,
    whenLeft,
    waited,
    rateBucket: entry.rateBucket(operation),
    headers,
    lastEventId: call.header('last-event-id') ?? null,
    authenticateAgain: () => entry.authenticate(call, services, operation, true),
  }
  const lease = await enter(operation, caller, arrival, services)
  if (lease instanceof Refusal) return replyRefusal(conventions, call, lease, headers)
  const { admitted } = lease
  call.whenClosed(() => admitted.end())
  try {
    const done = await carryOut(lease, operationPath(entry, call), call, services)
    if (done instanceof Refusal) return replyRefusal(conventions, call, done, headers)
    const { outcome, caller: current } = done
    if ('stream' in outcome) return streamed(operation, call, outcome, headers)
    const answer = await write({ ...lease, caller: current }, call, outcome, services)
    const size = sizeOf(answer.body)
    if (size > smallAnswer) admitted.takeAnswer(size)
    return answer
  } finally {
    admitted.leaveLarge()
  }
}

/** What was done, and for whom: the caller as it is after the body was read. */
interface CarriedOut {
  readonly outcome: Success
  readonly caller: Caller
}

/** Gates 6 to 16. The files of a form are kept until the request is completed or refused. */
async function carryOut(
  lease: RequestLease,
  path: Call['path'],
  call: Call,
  services: Services,
): Promise<CarriedOut | Refusal> {
  const { query } = call
  const input = { path, query, idempotencyKey: call.header('idempotency-key') ?? '' }
  const declared = lease.operation.body
  const runWith = async (body: DecodedBody | Refusal): Promise<CarriedOut | Refusal> => {
    if (body instanceof Refusal) return body
    const current = await passAfterBody(lease)
    if (current instanceof Refusal) return current
    const outcome = await run(current, { ...input, body }, services)
    return outcome instanceof Refusal ? outcome : { outcome, caller: current.caller }
  }
  if (declared?.form === 'multipart') {
    return inRoom(services, lease.admitted, async room => runWith(await decodeForm(declared, call, room)))
  }
  return runWith(await decodeJson(lease, declared !== null, call))
}

/** The path parameters of the operation: those of a request without those of the entry. */
function operationPath({ parameters }: HttpEntry, { path }: Call): Call['path'] {
  if (parameters.length === 0) return path
  return Object.fromEntries(Object.entries(path).filter(([name]) => !parameters.includes(name)))
}

async function decodeForm(
  declared: FormDeclaration,
  call: Call,
  room: Parameters<typeof readForm>[2],
): Promise<DecodedBody | Refusal> {
  const form = await readForm(declared, call, room)
  if (form instanceof Refusal) return form
  const { sent, issues, ...rest } = form
  return { sent, issues, form: rest, count: 0, bytes: 0 }
}

/** Decodes a JSON body. A large body is decoded in slices, and a very large one waits for its turn. */
async function decodeJson(
  { operation, admitted }: RequestLease,
  takesBody: boolean,
  call: Call,
): Promise<DecodedBody | Refusal> {
  const body = await call.readBody(operation.bodyLimit, bytes => admitted.takeBody(bytes))
  if (body instanceof Refusal) return body
  const { length: bytes } = body
  if (bytes === 0) return { sent: undefined, issues: [], count: 0, bytes }
  const issues = takesBody ? wrongContent(call) : [noBody]
  if (issues.length > 0) return { sent: undefined, issues, count: 0, bytes }
  if (bytes > bounds.large.most) await admitted.giveWay()
  const steps = parseJson(body)
  const parsed = bytes <= shortBytes ? atOnce(steps) : await inSlices(steps)
  return 'issues' in parsed
    ? { sent: undefined, issues: parsed.issues, count: parsed.count, bytes }
    : { sent: parsed.value, issues: [], count: 0, bytes }
}

const noBody: Issue = { path: '', rule: 'body', message: 'This request takes no body' }

/** Issues that prevent a body from being decoded as JSON. */
function wrongContent(call: Call): Issue[] {
  const isJson = isJsonType(call.header('content-type'))
  const wrongType = { path: 'header:Content-Type', rule: 'content_type', message: 'application/json is expected' }
  return [...(isJson ? [] : [wrongType]), ...refuseEncoding(call.header('content-encoding'))]
}

/** The head of a streamed answer. Only a GET can stream: answers of other methods are stored, so they must be whole. */
function streamed({ id, method }: Operation, call: Call, outcome: StreamedOutcome, headers: Record<string, string>) {
  if (method !== 'GET') throw new Error(`${id} is answered with a stream, which only a GET can be`)
  return replyStreamed(call, outcome, headers)
}

/** Writes the answer, a large one in slices. */
async function write(
  { operation: { conventions, project }, caller, admitted, arrival: { headers } }: RequestLease,
  call: Call,
  outcome: Outcome | WrittenOutcome,
  services: Services,
): Promise<Reply> {
  if ('written' in outcome) return replyWritten(call, outcome, headers)
  const projected = project(outcome.data, caller, services)
  const isLarge = admitted.isLarge || sizeOf(outcome.body ?? '') > bounds.large.most
  if (!isLarge) return reply(conventions, call, outcome, projected, headers)
  return inSlices(replyInSteps(conventions, call, outcome, projected, headers))
}

/** Answers up to this size are not counted: the number of requests bounds them. */
const smallAnswer = 16 * 1024

/**
 * Serves a request as one span. The span has the route and never the path. From what the client has sent it records only a UUID as request
 * id and the trace that the request belongs to.
 */
export function tracedRequest<Answer extends Reply | StreamedReply>(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  call: Call,
  serve: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const facts = {
    'http.request.method': call.method,
    'http.route': path,
    'crm.operation': id,
    'crm.request.id': call.requestId,
  }
  const parent = call.header('traceparent') ?? null
  return traced(`${call.method} ${path}`, { kind: 'server', parent, facts }, async span => {
    const answer = await serve(call)
    if (span !== null) span.tell({ 'http.response.status_code': answer.status, ...codeOf(answer) })
    return answer
  })
}

function codeOf(answer: Reply | StreamedReply): Facts {
  return 'code' in answer && answer.code !== undefined ? { 'error.type': answer.code } : {}
}
