import { atOnce, inSlices } from '../admission/index.ts'
import type { Actor, Idempotency } from '../auth/actor.ts'
import { addressClass, type Caller } from '../auth/index.ts'
import type { Secret } from '../encryption/secret.ts'
import { type Issue, malformed, notFound, type Refusal } from '../errors/index.ts'
import { fingerprint, fingerprintInSteps, isIdempotencyKey } from '../idempotency/index.ts'
import { type BodyDeclaration, type CheckedBody, parseQuery, type UploadedFile } from '../input/index.ts'
import type { Operation, Request } from '../operation.ts'
import { chosenIdForm, isChosenId, isObject, isUuid, shortBytes } from '../schema/index.ts'
import type { Reader } from '../sql/index.ts'
import type { DecodedBody, Input, RequestLease } from './entry.ts'

/**
 * Gate 7: checks everything that can be checked from the request alone, and reports all issues at once. A malformed id is treated like an
 * unknown one. Checking a large body yields to the event loop.
 */
export async function readRequest(lease: RequestLease, input: Input, secret: Hiding): Promise<Request | Refusal> {
  const isShort = input.body.bytes <= shortBytes
  const steps = requestInSteps(lease, input, isShort, secret)
  const request = isShort ? atOnce(steps) : await inSlices(steps)
  lease.admitted.leaveLarge()
  return request
}

function* requestInSteps(
  { operation, caller, arrival, admitted }: RequestLease,
  input: Input,
  isShort: boolean,
  secret: Hiding,
): Generator<unknown, Request | Refusal> {
  const { path, issues: ofPath } = readPath(operation, input.path)
  if (ofPath.length > 0 && !operation.conventions.refusesMalformedIds) return notFound()
  const { values: query, issues: ofQuery } = parseQuery(operation.query, input.query)
  const issues = [...ofPath, ...ofQuery]
  const { idempotencyKey: key } = input
  if (operation.idempotent && !isIdempotencyKey(key)) issues.push(wrongIdempotencyKey(key))
  const declared = operation.body?.form === 'multipart' ? null : operation.body
  const body = yield* bodyInSteps(declared, input.body)
  const ofBody = body.issues.length > 0 ? body.issues : (operation.inspect?.(query, body.value, path) ?? [])
  const wrong = [...issues, ...ofBody]
  const { sent, bytes, form } = input.body
  const isLeft = issues.length === 0 && sent !== undefined && declared?.isCheckedLast === true
  if (wrong.length > 0 && !isLeft) return malformed(wrong, issues.length + (body.count || ofBody.length))
  let idempotency: Idempotency | null = null
  if (operation.idempotent) {
    const { method, path: route } = operation
    const request = { method, route, path, query, body: hideSecrets(declared?.secrets, sent, secret) }
    const print = isShort ? fingerprint(request) : yield* fingerprintInSteps(request)
    const { applicationId, prefix } = caller.idempotency
    idempotency = { applicationId, key: `${prefix}${key}`, fingerprint: print }
  }
  const actor = actorOf(operation, arrival, caller, admitted, idempotency, form === undefined ? bytes : 0)
  return { operation, caller, path, query, body: body.value, files: form?.files ?? noFiles, reader: admitted, actor }
}

/** The path parameters in the form for execution, and an issue for each one that cannot be a valid id. */
function readPath({ chosenIds }: Operation, sent: Input['path']): { path: Request['path']; issues: Issue[] } {
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

/** The actor of a request. */
function actorOf(
  { id }: Operation,
  { requestId, clientRequestId, address }: RequestLease['arrival'],
  { entry, organization, author, keysOf, credential, scopes }: Caller,
  reader: Reader,
  idempotency: Idempotency | null,
  bodyBytes: number,
): Actor {
  return {
    organizationId: organization.id,
    author,
    applicationId: keysOf,
    requestId,
    clientRequestId,
    origin: {
      operation: id,
      entry,
      tokenId: 'token' in credential ? credential.token.id : null,
      addressClass: addressClass(address),
    },
    idempotency,
    managesCustomFields: scopes.has('crm_custom_fields_manage'),
    reader,
    bodyBytes,
  }
}

type Hiding = Pick<Secret, 'fingerprint'>

/**
 * The body that goes into the fingerprint. Secrets are hidden, so that nobody who reads a stored fingerprint can use it to test guesses.
 */
function hideSecrets(secrets: readonly string[] = [], sent: unknown, secret: Hiding): unknown {
  if (secrets.length === 0 || !isObject(sent)) return sent
  const hidden = secrets.flatMap(name => {
    const value = sent[name]
    return typeof value === 'string' ? [[name, { secret: secret.fingerprint(value) }]] : []
  })
  return { ...sent, ...Object.fromEntries(hidden) }
}

interface ReadBody extends CheckedBody {
  readonly count: number
}

const noFiles: readonly UploadedFile[] = []

/** The body in the form for execution. */
function* bodyInSteps(body: BodyDeclaration | null, decoded: DecodedBody): Generator<unknown, ReadBody> {
  const { sent, form, issues, count } = decoded
  if (form !== undefined || issues.length > 0) return { value: form?.texts, issues, count }
  if (body === null) return { value: undefined, issues: [], count: 0 }
  if (sent === undefined && body.required) {
    const missing = { path: '', rule: 'required', message: 'A JSON body is required' }
    return { value: undefined, issues: [missing], count: 0 }
  }
  const checked = body.parseInSteps === undefined ? body.parse(sent) : yield* body.parseInSteps(sent)
  return { ...checked, count: 0 }
}

function wrongIdempotencyKey(key: string): Issue {
  const path = 'header:Idempotency-Key'
  if (key === '') return { path, rule: 'required', message: 'Idempotency-Key is required' }
  return { path, rule: 'format', message: 'Idempotency-Key takes 1 to 255 visible ASCII characters' }
}
