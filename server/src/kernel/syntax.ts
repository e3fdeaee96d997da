import { atOnce, inSlices, type Visit } from './admission/index.ts'
import { addressClass, type Caller } from './auth/index.ts'
import type { Call } from './call.ts'
import { type Issue, malformed, notFound, type Refusal } from './errors/index.ts'
import { fingerprint, fingerprintInSteps, isIdempotencyKey } from './idempotency/index.ts'
import {
  type CheckedBody,
  isJsonType,
  jsonBodyOf,
  parseQuery,
  refuseEncoding,
  type UploadedFile,
} from './input/index.ts'
import { bounds } from './limits/index.ts'
import type { Operation, Request } from './operation.ts'
import { chosenIdForm, isChosenId, isObject, isUuid, parseJson, shortBytes } from './schema/index.ts'
import type { Secret } from './secret.ts'
import type { Reader } from './sql/index.ts'
import type { ReadForm } from './uploads/index.ts'
import { byApplication, type Idempotency, type Writer } from './writer.ts'

/**
 * Gate 7: everything that the request alone decides, with all issues at once. A malformed id counts as an unknown one.
 * A large body is read in slices, and a very large one waits for its turn.
 */
export async function readRequest(
  operation: Operation,
  call: Call,
  caller: Caller,
  visit: Visit,
  bytes: Uint8Array,
  secret: Hiding,
): Promise<Request | Refusal> {
  const isShort = bytes.length <= shortBytes
  if (bytes.length > bounds.large.most) await visit.giveWay()
  const steps = requestInSteps(operation, call, caller, visit, bytes, isShort, secret)
  const request = isShort ? atOnce(steps) : await inSlices(steps)
  visit.leaveLarge()
  return request
}

/** The same for a form, whose parts were read already. */
export function readFormRequest(
  operation: Operation,
  call: Call,
  caller: Caller,
  visit: Visit,
  form: ReadForm,
  secret: Hiding,
): Request | Refusal {
  return atOnce(requestInSteps(operation, call, caller, visit, form, true, secret))
}

function* requestInSteps(
  operation: Operation,
  call: Call,
  caller: Caller,
  visit: Visit,
  sent: Uint8Array | ReadForm,
  isShort: boolean,
  secret: Hiding,
): Generator<unknown, Request | Refusal> {
  const { path, issues: ofPath } = readPath(operation, call.path)
  if (ofPath.length > 0 && !operation.surface.refusesMalformedIds) return notFound()
  const { values: query, issues: ofQuery } = parseQuery(operation.query, call.query)
  const issues = [...ofPath, ...ofQuery]
  const idempotencyKey = call.header('idempotency-key') ?? ''
  if (operation.idempotent && !isIdempotencyKey(idempotencyKey)) issues.push(wrongIdempotencyKey(idempotencyKey))
  const body = sent instanceof Uint8Array ? yield* bodyInSteps(operation, call, sent) : bodyOfForm(sent)
  const ofBody = body.issues.length > 0 ? body.issues : (operation.inspect?.(query, body.value, path) ?? [])
  const wrong = [...issues, ...ofBody]
  const isLeft = issues.length === 0 && body.sent !== undefined && jsonBodyOf(operation)?.isCheckedLast === true
  if (wrong.length > 0 && !isLeft) return malformed(wrong, issues.length + (body.count || ofBody.length))
  let idempotency: Idempotency | null = null
  if (operation.idempotent) {
    const sentBody = hideSecrets(operation, body.sent, secret)
    const fingerprint = yield* printInSteps(operation, path, query, sentBody, isShort)
    idempotency = { applicationId: caller.application.id, key: idempotencyKey, fingerprint }
  }
  const bodyBytes = sent instanceof Uint8Array ? sent.byteLength : 0
  const writer = writerOf(operation, call, caller, visit, idempotency, bodyBytes)
  return { operation, caller, path, query, body: body.value, files: body.files, reader: visit, writer }
}

/** The path parameters in the form for execution, and an issue for each that can name nothing. */
function readPath({ chosenIds }: Operation, sent: Call['path']): { path: Request['path']; issues: Issue[] } {
  const path: Record<string, string> = {}
  const issues: Issue[] = []
  for (const [name, text] of Object.entries(sent)) {
    const isChosen = chosenIds.includes(name)
    const isNaming = isChosen ? isChosenId(text) : isUuid(text)
    if (!isNaming)
      issues.push({ path: `path:${name}`, rule: 'format', message: isChosen ? chosenIdForm : 'Not a UUID' })
    path[name] = isChosen ? text : text.toLowerCase()
  }
  return { path, issues }
}

/** The writer of a request: it writes for the application of its token. */
function writerOf(
  { id }: Operation,
  { requestId, clientRequestId, address }: Call,
  { organization, application, token, scopes }: Caller,
  reader: Reader,
  idempotency: Idempotency | null,
  bodyBytes: number,
): Writer {
  return {
    organizationId: organization.id,
    author: byApplication,
    applicationId: application.id,
    requestId,
    clientRequestId,
    origin: { operation: id, tokenId: token.id, addressClass: addressClass(address) },
    idempotency,
    managesCustomFields: scopes.has('crm_custom_fields_manage'),
    reader,
    bodyBytes,
  }
}

type Hiding = Pick<Secret, 'fingerprint'>

/** A body as the fingerprint takes it: who reads the stored fingerprint cannot try out secrets on it. */
function hideSecrets(operation: Operation, sent: unknown, secret: Hiding): unknown {
  const { secrets = [] } = jsonBodyOf(operation) ?? {}
  if (secrets.length === 0 || !isObject(sent)) return sent
  const hidden = secrets.flatMap(name => {
    const value = sent[name]
    return typeof value === 'string' ? [[name, { secret: secret.fingerprint(value) }]] : []
  })
  return { ...sent, ...Object.fromEntries(hidden) }
}

function* printInSteps(
  { method, path: route }: Operation,
  path: Request['path'],
  query: Request['query'],
  body: unknown,
  isShort: boolean,
): Generator<unknown, Buffer> {
  const request = { method, route, path, query, body }
  return isShort ? fingerprint(request) : yield* fingerprintInSteps(request)
}

interface ReadBody extends CheckedBody {
  /** The number of all issues; 0 if all are listed. */
  readonly count: number
  /** What the fingerprint is made of: the JSON value that was sent, or the parts of a form. */
  readonly sent: unknown
  readonly files: readonly UploadedFile[]
}

const noFiles: readonly UploadedFile[] = []

function bodyOfForm({ texts, files, issues, sent }: ReadForm): ReadBody {
  return { value: texts, issues, count: 0, sent, files }
}

function* bodyInSteps(operation: Operation, call: Call, bytes: Uint8Array): Generator<unknown, ReadBody> {
  const body = jsonBodyOf(operation)
  let sent: unknown
  if (bytes.length > 0) {
    if (body === null) return wrongBody({ path: '', rule: 'body', message: 'This request takes no body' })
    const issues = wrongContent(call)
    if (issues.length > 0) return wrongBody(...issues)
    const parsed = yield* parseJson(bytes)
    if ('issues' in parsed) return { ...wrongBody(...parsed.issues), count: parsed.count }
    sent = parsed.value
  }
  if (body === null) return { value: undefined, issues: [], count: 0, sent, files: noFiles }
  if (sent === undefined && body.required) {
    return wrongBody({ path: '', rule: 'required', message: 'A JSON body is required' })
  }
  const { value, issues } = body.parseInSteps === undefined ? body.parse(sent) : yield* body.parseInSteps(sent)
  return { value, issues, count: 0, sent, files: noFiles }
}

/** Issues of headers by which a body cannot be read. */
function wrongContent(call: Call): Issue[] {
  const issues: Issue[] = []
  if (!isJsonType(call.header('content-type'))) {
    issues.push({ path: 'header:Content-Type', rule: 'content_type', message: 'application/json is expected' })
  }
  return [...issues, ...refuseEncoding(call.header('content-encoding'))]
}

function wrongBody(...issues: readonly Issue[]): ReadBody {
  return { value: undefined, issues, count: 0, sent: undefined, files: noFiles }
}

function wrongIdempotencyKey(key: string): Issue {
  const path = 'header:Idempotency-Key'
  if (key === '') return { path, rule: 'required', message: 'Idempotency-Key is required' }
  return { path, rule: 'format', message: 'Idempotency-Key takes 1 to 255 visible ASCII characters' }
}
