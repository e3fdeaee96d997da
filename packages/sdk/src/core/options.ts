import type { CrmError } from './errors.ts'

/** What every call takes as its last argument. */
export interface ReadOptions {
  /** Aborts the call, also while it waits for its next attempt. The call then throws the reason of the signal. */
  readonly signal?: AbortSignal
  /** The milliseconds of each attempt, instead of those of the client. */
  readonly timeout?: number
  /** More headers, such as `traceparent`. They do not replace those that the client itself sets. */
  readonly headers?: Readonly<Record<string, string>>
  /** Is told why an attempt failed, before the wait for the next one. */
  readonly onRetry?: (error: CrmError, milliseconds: number) => void
}

/** What calls that change something take. */
export interface WriteOptions extends ReadOptions {
  /**
   * The `Idempotency-Key` of the call: 1 to 255 visible ASCII characters. Without it, each call has a new one. The same key lets a program
   * that starts again repeat a call that it may have made before: the change is made once.
   */
  readonly idempotencyKey?: string
}
