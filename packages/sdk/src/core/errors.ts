import { isObject, type JsonObject, numberOf, textOf } from './json.ts'

/** What an error is made of. */
export interface CrmErrorOptions {
  readonly code: string
  readonly message: string
  readonly status?: number
  readonly details?: JsonObject
  readonly requestId?: string
  readonly retryAfter?: number | null
  readonly isRetryable?: boolean
  readonly idempotencyKey?: string | null
  readonly cause?: unknown
}

/** Every copy of this package marks its errors with the same symbol, so that they know each other. */
const brand = Symbol.for('crm-sdk.error')

/** A call that failed: refused by the API, or without an answer. Contract section 14 has the codes of the API. */
export class CrmError extends Error {
  static readonly kind: string = 'CrmError'
  /** What went wrong, for programs. `unexpected_answer` if what answered is not the API. */
  readonly code: string
  /** The status of the answer. 0 if there was none. */
  readonly status: number
  readonly details: JsonObject
  /** Names the request in the logs of the server. Empty if there was no answer. */
  readonly requestId: string
  /** The seconds after which the server wants to be asked again. Null if it did not say so. */
  readonly retryAfter: number | null
  /** Whether the same call may succeed later. A write is repeated with the same `idempotencyKey`, so that it is executed once. */
  readonly isRetryable: boolean
  /** The key of the call. Null if it had none. */
  readonly idempotencyKey: string | null

  constructor(failure: CrmErrorOptions) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause })
    this.name = new.target.kind
    Object.defineProperty(this, brand, { value: [CrmError.kind, this.name] })
    this.code = failure.code
    this.status = failure.status ?? 0
    this.details = failure.details ?? {}
    this.requestId = failure.requestId ?? ''
    this.retryAfter = failure.retryAfter ?? null
    this.isRetryable = failure.isRetryable ?? false
    this.idempotencyKey = failure.idempotencyKey ?? null
  }

  /** Whether a value is an error of this class, also if another copy of the package made it, where `instanceof` fails. */
  static is<E extends CrmError>(this: { readonly kind: string; readonly prototype: E }, error: unknown): error is E {
    const kinds: unknown = isObject(error) ? Reflect.get(error, brand) : undefined
    return Array.isArray(kinds) && kinds.includes(this.kind)
  }
}

/** The record no longer has the version in `expectedVersion`. */
export class VersionConflict extends CrmError {
  static override readonly kind: string = 'VersionConflict'
  /** Null if the record does not exist yet. */
  readonly currentVersion: number | null = numberOf(this.details, 'currentVersion')
}

/** An upsert names a record that exists, and neither its version nor `overwrite`. */
export class PreconditionRequired extends CrmError {
  static override readonly kind: string = 'PreconditionRequired'
  readonly currentVersion: number | null = numberOf(this.details, 'currentVersion')
}

/** Another request succeeded with this `idempotencyKey`. */
export class KeyConflict extends CrmError {
  static override readonly kind: string = 'KeyConflict'
  /** When it succeeded. */
  readonly firstUsedAt: string = textOf(this.details, 'firstUsedAt')
}

/** There is no such record, or the body names one that does not exist. */
export class NotFound extends CrmError {
  static override readonly kind: string = 'NotFound'
  /** The record into which this one was merged. Null if it was not. */
  readonly mergedIntoId: string | null = textOf(this.details, 'mergedIntoId') || null
}

/** What the call names was there and is not any more: a removed record, its key, or a position of the feed. `code` tells which. */
export class Gone extends CrmError {
  static override readonly kind: string = 'Gone'
}

/** The application has used up its requests of this minute. */
export class RateLimited extends CrmError {
  static override readonly kind: string = 'RateLimited'
}

/** The token lacks scopes. */
export class Forbidden extends CrmError {
  static override readonly kind: string = 'Forbidden'
  /** Those that it lacks. */
  readonly scopes: readonly string[] = textsOf(this.details['missingScopes'])
}

/** There was no answer, or it ended early. Nobody knows whether a write was executed. */
export class ConnectionLost extends CrmError {
  static override readonly kind: string = 'ConnectionLost'
}

/** There was no answer in time. Nobody knows whether a write was executed. */
export class TimedOut extends CrmError {
  static override readonly kind: string = 'TimedOut'
}

const classes: Readonly<Record<string, typeof CrmError>> = {
  version_conflict: VersionConflict,
  precondition_required: PreconditionRequired,
  idempotency_conflict: KeyConflict,
  not_found: NotFound,
  rate_limit_exceeded: RateLimited,
  insufficient_scope: Forbidden,
}

/** The error for an answer that is no success. New codes of the API are `CrmError`. */
export function refusal(failure: CrmErrorOptions): CrmError {
  const named = Object.hasOwn(classes, failure.code) ? classes[failure.code] : undefined
  return new (named ?? (failure.status === 410 ? Gone : CrmError))(failure)
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(element => typeof element === 'string') : []
}
