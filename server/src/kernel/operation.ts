import type { Caller, Scope } from './auth/index.ts'
import type { ByteStream } from './byte-stream.ts'
import type { Deprecation } from './deprecation.ts'
import type { Issue, Refusal } from './errors/index.ts'
import type { BodyDeclaration, FormDeclaration, QueryDeclaration, UploadedFile } from './input/index.ts'
import type { Resource } from './record/resource.ts'
import type { JsonSchema, JsonText } from './schema/index.ts'
import type { Services } from './services.ts'
import type { Reader } from './sql/index.ts'
import type { Surface } from './surface.ts'
import type { Writer } from './writer.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * One callable thing: one route, one entry of the OpenAPI document, one method of a client. The pipeline does for it
 * whatever all operations have in common; `execute` is what it alone does.
 */
export interface Operation {
  /** `contacts.create`: unique, and stable for clients. */
  readonly id: string
  readonly method: Method
  readonly surface: Surface
  /** As the specification writes it, with `{id}` for parameters. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Where the route is to go. */
  readonly deprecation?: Deprecation
  /** The record that a path parameter names: where it was merged into another one, its 404 says so. */
  readonly addresses?: { readonly resource: Resource; readonly parameter: string }
  /** All of them are needed (gate 3). */
  readonly scopes: readonly Scope[]
  /** Further scopes that follow from the query (gate 3), for the change feed. */
  scopesOf?(query: Readonly<Record<string, unknown>>, caller: Caller): readonly Scope[]
  /** Every status of a success, the usual one first. */
  readonly success: readonly [number, ...number[]]
  /** Whether it changes something, and so needs an `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Most bytes of a body (413). */
  readonly bodyLimit: number
  readonly query: QueryDeclaration
  /** None, JSON, or a form with files. */
  readonly body: BodyDeclaration | FormDeclaration | null
  /** JSON Schemas of `data` and `meta` in a success. */
  readonly answer: { readonly data: JsonSchema; readonly meta: JsonSchema }
  /** The media type of a success that is a stream instead; only a GET has one, because it is not stored. */
  readonly streams?: string
  /** What query and body together show to be wrong (gate 7). */
  inspect?(query: Readonly<Record<string, unknown>>, body: unknown): readonly Issue[]
  /** Scopes that values in the body need (gate 8). */
  valueScopes?(body: unknown): readonly string[]
  execute(request: Request, services: Services): Promise<Success | Refusal>
  /** What a reader with these scopes may see of the data (redaction), and which projections were applied. */
  project(data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] }
}

/** A request that has passed the gates before execution: everything in it is of the declared form. */
export interface Request {
  readonly operation: Operation
  readonly caller: Caller
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** The body in the form that execution sees: of a form its texts, by name. */
  readonly body: unknown
  /** The files of a form, in the order in which they came. They are removed when the request was executed. */
  readonly files: readonly UploadedFile[]
  /** For the database: whose places the request takes. */
  readonly reader: Reader
  /** For whom the request changes something. */
  readonly writer: Writer
}

export type Success = Outcome | WrittenOutcome | StreamedOutcome

/** A success, whole: redaction happens when it is answered, and again when it is replayed. */
export interface Outcome {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** The JSON of `{data, meta}`, when it was made already. */
  readonly body?: JsonText
  readonly replayed?: boolean
}

/** A success whose envelope is written already, as this caller may see it. */
export interface WrittenOutcome {
  readonly status: number
  readonly written: readonly Buffer[]
}

/** A success that is sent as it is made: it has no envelope, and nothing in it is redacted. */
export interface StreamedOutcome {
  readonly status: number
  readonly stream: ByteStream
}
