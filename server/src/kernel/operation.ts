import type { Actor } from './auth/actor.ts'
import type { Caller, Scope } from './auth/index.ts'
import { type Conventions, crmConventions } from './conventions.ts'
import type { Issue, Refusal } from './errors/index.ts'
import type { ByteStream } from './input/call.ts'
import type { BodyDeclaration, FormDeclaration, QueryDeclaration, UploadedFile } from './input/index.ts'
import { limits } from './limits/index.ts'
import type { Resource } from './record/resource.ts'
import type { JsonObject, JsonSchema, JsonText } from './schema/index.ts'
import type { Services } from './services.ts'
import type { Reader } from './sql/index.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * One thing that can be called: one route, one entry of the OpenAPI document, one method of a client. The gates do
 * what all operations have in common; `execute` does what is particular to this one.
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
  /** The days on which the route was deprecated and goes, if it is deprecated. */
  readonly deprecation?: Deprecation
  /** Path parameters with ids that clients choose; the others have UUIDs. */
  readonly chosenIds: readonly string[]
  /** The path parameter that names a record. If the record was merged into another one, the 404 says so. */
  readonly addresses?: { readonly resource: Resource; readonly parameter: string }
  /** The scopes of the route; all of them are needed (gate 3). */
  readonly scopes: readonly Scope[]
  /** More scopes, which follow from the query (gate 3). The change feed has them. */
  scopesOf?(query: Readonly<Record<string, unknown>>, caller: Caller): readonly Scope[]
  /** The statuses of a success, the usual one first. */
  readonly success: readonly [number, ...number[]]
  /** Whether the operation changes something, and so needs an `Idempotency-Key`. */
  readonly idempotent: boolean
  /** The most bytes of a body (413). */
  readonly bodyLimit: number
  readonly query: QueryDeclaration
  /** The body: none, JSON, or a form with files. */
  readonly body: BodyDeclaration | FormDeclaration | null
  readonly answer: AnswerDeclaration
  /** Refusals by what the operation does, beside those of the gates before that, which all operations like it share. */
  readonly refuses: readonly OwnRefusal[]
  /** The media type of a success that is a stream. Only a GET can stream, because a stream is not stored. */
  readonly streams?: string
  /** Issues that only query, body and path together show (gate 7). */
  inspect?(query: Readonly<Record<string, unknown>>, body: unknown, path: Request['path']): readonly Issue[]
  /** Scopes that the values in the body need (gate 8). */
  valueScopes?(body: unknown): readonly string[]
  execute(request: Request, services: Services): Promise<Success | Refusal>
  /**
   * Redaction: the data that this caller may see, and the projections that were applied. Links that are good for a while
   * are added.
   */
  project(data: unknown, caller: Caller, presenting: Presenting): { data: unknown; redacted: readonly string[] }
}

/** The announcement that a route will go: from when it is deprecated, from when it may be gone, and what takes its place. */
export interface Deprecation {
  /** `2027-01-31`: from that day on it is deprecated. */
  readonly since: string
  /** From that day on it may answer 404. */
  readonly sunset: string
  /** The path that takes its place. */
  readonly successor: string
}

/** What answers are shown with: the time, and links that are good for a while. */
export type Presenting = Pick<Services, 'clock' | 'files'>

/** A refusal of gates 10 to 15, and when it comes: a sentence for the document. */
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
  /** Component of the whole success in the OpenAPI document, where its name does not follow from that of `data`. */
  readonly name?: string
  /** Of a list whose elements have two forms: one of the second form, for examples. */
  readonly alsoShown?: JsonObject
}

/** A request that has passed the gates before execution: its form was checked. */
export interface Request {
  readonly operation: Operation
  readonly caller: Caller
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** The body in the form for execution; of a form its texts, by name. */
  readonly body: unknown
  /** The files of a form, in the order in which they came. They are removed after execution. */
  readonly files: readonly UploadedFile[]
  /** The reader whose share of database connections the request uses. */
  readonly reader: Reader
  /** The actor that changes of this request are made for. */
  readonly actor: Actor
}

export type Success = Outcome | WrittenOutcome | StreamedOutcome

/** A success, unredacted: it is redacted when it is sent, and again for the caller of a replay. */
export interface Outcome {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** The JSON of `{data, meta}`, if it was made already. */
  readonly body?: JsonText
  readonly replayed?: boolean
}

/** A success that was written already as its envelope, redacted for this caller. */
export interface WrittenOutcome {
  readonly status: number
  readonly written: readonly Buffer[]
}

/** A success that is sent while it is made: it has no envelope and is not redacted. */
export interface StreamedOutcome {
  readonly status: number
  readonly stream: ByteStream
}

const usual = {
  conventions: crmConventions,
  success: [200],
  query: {},
  chosenIds: [],
  body: null,
  refuses: [],
  project: (data: unknown) => ({ data, redacted: [] }),
} as const
type Usual = keyof typeof usual | 'idempotent' | 'bodyLimit'

/** What an operation declares. Members that it leaves out have their usual value. */
export interface OperationDeclaration extends Omit<Operation, Usual | 'answer'>, Partial<Pick<Operation, Usual>> {
  readonly answer: Omit<AnswerDeclaration, 'meta'> & { readonly meta?: JsonSchema }
}

/**
 * Completes a declaration with the usual values: the operation keeps the conventions of the CRM, answers 200, takes an
 * `Idempotency-Key` unless it is a GET, has neither query nor body, refuses nothing of its
 * own, and shows its data to every caller.
 */
export function defineOperation(declared: OperationDeclaration): Operation {
  const { answer, body } = declared
  return {
    ...usual,
    idempotent: declared.method !== 'GET',
    bodyLimit: body?.form === 'multipart' ? body.limit : limits.jsonBodyBytes,
    ...declared,
    answer: { meta: { type: 'object' }, ...answer },
  }
}
