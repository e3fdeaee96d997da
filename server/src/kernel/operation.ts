import type { Actor } from './auth/actor.ts'
import type { Caller, Permission } from './auth/index.ts'
import { type Conventions, crmConventions } from './conventions.ts'
import type { Issue, Refusal } from './errors/index.ts'
import type { ByteStream, WhenGone } from './input/call.ts'
import type { BodyDeclaration, FormDeclaration, QueryDeclaration, UploadedFile } from './input/index.ts'
import { limits } from './limits/index.ts'
import type { Resource } from './record/index.ts'
import type { JsonObject, JsonSchema, JsonText } from './schema/index.ts'
import type { Services } from './services.ts'
import type { Reader } from './sql/index.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * One callable operation: one route, one entry of the OpenAPI document, one method of a client. The gates do what all operations have in
 * common; `execute` does what is particular to this one.
 */
export interface Operation {
  /** `contacts.create`: unique, and stable for clients. */
  readonly id: string
  readonly method: Method
  /** The form of its answers and ids, and what else its part of the API has in common. */
  readonly conventions: Conventions
  /** The path as in the specification, with `{id}` for parameters. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** If the route is deprecated, the days on which it was deprecated and will be removed. */
  readonly deprecation?: Deprecation
  /** Path parameters whose ids clients choose; all others are UUIDs. */
  readonly chosenIds: readonly string[]
  /** The path parameter that names a record. If the record was merged into another one, the 404 says so. */
  readonly addresses?: { readonly resource: Resource; readonly parameter: string }
  /** The scopes of the route, and the rights of people; all of them are needed (gate 3). */
  readonly scopes: readonly Permission[]
  /** Whether pages call it by themselves, without a person who does something: then it is no use of the session. */
  readonly isUnattended: boolean
  /** Whether a user must have entered their password in the last minutes (gate 3). A token needs nothing more. */
  readonly needsFreshSignIn: boolean
  /** Additional scopes that depend on the query (gate 3). */
  scopesOf?(query: Readonly<Record<string, unknown>>, caller: Caller): readonly Permission[]
  /** The statuses of a success, the usual one first. */
  readonly success: readonly [number, ...number[]]
  /** Whether the operation changes something, and so needs an `Idempotency-Key`. */
  readonly idempotent: boolean
  /** The largest body in bytes (413). */
  readonly bodyLimit: number
  readonly query: QueryDeclaration
  /** The body: none, JSON, or a form with files. */
  readonly body: BodyDeclaration | FormDeclaration | null
  readonly answer: AnswerDeclaration
  /** Refusals that `execute` itself can give. The OpenAPI generator adds those of the gates. */
  readonly refuses: readonly OwnRefusal[]
  /** The media type of a success that is a stream. Only a GET can stream, because a stream is not stored. */
  readonly streams?: string
  /** The id of the operation whose effect this one shows without having it. */
  readonly previewOf?: string
  /** Issues that show only when query, body and path are seen together (gate 7). */
  inspect?(query: Readonly<Record<string, unknown>>, body: unknown, path: Request['path']): readonly Issue[]
  /** Scopes that the values in the body need (gate 8). */
  valueScopes?(body: unknown): readonly string[]
  execute(request: Request, services: Services, waiting: Waiting): Promise<Success | Refusal>
  /** Redacts the data for this caller. Returns the visible data and the projections that were applied. Adds temporary links. */
  project(data: unknown, caller: Caller, presenting: Presenting): { data: unknown; redacted: readonly string[] }
}

/** The announcement that a route will be removed: when it is deprecated, when it may be gone, and its successor. */
export interface Deprecation {
  /** The day of the deprecation: `2027-01-31`. */
  readonly since: string
  /** The day from which the route may answer 404. */
  readonly sunset: string
  /** The path that replaces it. */
  readonly successor: string
}

/** What presenting an answer needs: the time, and temporary links. */
export type Presenting = Pick<Services, 'clock' | 'files'>

/** A refusal of gates 10 to 15, and when it occurs: a sentence for the OpenAPI document. */
export type OwnRefusal = readonly [code: OwnCode, when: string]

/** `unprocessable` is the `validation_error` of gate 15. */
type OwnCode =
  | 'not_found'
  | 'resource_deleted'
  | 'external_reference_deleted'
  | 'cursor_expired'
  | 'precondition_required'
  | 'version_conflict'
  | 'external_id_conflict'
  | 'already_exists'
  | 'resource_in_use'
  | 'unprocessable'

/** JSON Schemas of `data` and `meta` in a success. */
export interface AnswerDeclaration {
  readonly data: JsonSchema
  readonly meta: JsonSchema
  /** The name of the OpenAPI component of the whole success, if it does not follow from that of `data`. */
  readonly name?: string
  /** For a list whose elements have two forms: an example of the second form. */
  readonly alsoShown?: JsonObject
}

/** A request that has passed the gates before execution, with its form checked. */
export interface Request {
  readonly operation: Operation
  readonly caller: Caller
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** The body in the form for execution; for a form, its text parts by name. */
  readonly body: unknown
  /** The files of a form, in order of arrival. They are removed after execution. */
  readonly files: readonly UploadedFile[]
  /** The reader whose share of the database connections the request uses. */
  readonly reader: Reader
  /** The actor of the changes that this request makes. */
  readonly actor: Actor
}

/** What a request needs that waits for a change before it is answered, or tells of changes as long as its client listens. */
export interface Waiting {
  /** Passes gates 2 to 4 once more: the present caller, or why it is refused now. */
  passAgain(): Promise<Caller | Refusal>
  readonly whenLeft: WhenGone
  /** Records for how long it has waited. */
  waited(milliseconds: number): void
  /** The id of the last event that the client has received; null if it does not go on. */
  readonly lastEventId: string | null
  /** Takes a place among the live streams of the organization and of this user: see `AdmittedRequest.beginStream`. */
  beginStream(user: string): Refusal | null
}

export type Success = Outcome | WrittenOutcome | StreamedOutcome

/** A success before redaction. It is redacted when it is sent, and again for the caller of a replay. */
export interface Outcome {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** The JSON of `{data, meta}`, if it exists already. */
  readonly body?: JsonText
  readonly replayed?: boolean
  /** After how many seconds to ask again, if the answer would have been another one with more room. */
  readonly retryAfterSeconds?: number
}

/** A success whose envelope is already written and redacted for this caller. */
export interface WrittenOutcome {
  readonly status: number
  readonly written: readonly Buffer[]
}

/** A success that is sent while it is produced: it has no envelope and is not redacted. */
export interface StreamedOutcome {
  readonly status: number
  readonly stream: ByteStream
}

const usual = {
  conventions: crmConventions,
  isUnattended: false,
  success: [200],
  query: {},
  chosenIds: [],
  body: null,
  refuses: [],
  project: (data: unknown) => ({ data, redacted: [] }),
} as const
type Usual = keyof typeof usual | 'idempotent' | 'bodyLimit' | 'needsFreshSignIn'

/** The declaration of an operation. Members that it leaves out have their default value. */
export interface OperationDeclaration extends Omit<Operation, Usual | 'answer'>, Partial<Pick<Operation, Usual>> {
  readonly answer: Omit<AnswerDeclaration, 'meta'> & { readonly meta?: JsonSchema }
}

/**
 * Completes a declaration with defaults: the operation keeps the conventions of the CRM, answers 200, takes an `Idempotency-Key` unless it
 * is a GET, needs a fresh sign-in if its body has secrets, has neither query nor body, gives no refusals of its own, and shows its data to
 * every caller.
 */
export function defineOperation(declared: OperationDeclaration): Operation {
  const { answer, body } = declared
  return {
    ...usual,
    idempotent: declared.method !== 'GET',
    bodyLimit: body?.form === 'multipart' ? body.limit : limits.jsonBodyBytes,
    needsFreshSignIn: takesSecrets(body),
    ...declared,
    answer: { meta: { type: 'object' }, ...answer },
  }
}

const takesSecrets = (body: Operation['body'] = null) => body?.form !== 'multipart' && (body?.secrets ?? []).length > 0
