/**
 * What the client tells about each attempt, and a flow about each rest before it makes a call again: then `milliseconds` is 0, and `attempt`
 * counts the rests. Neither bodies nor parameters nor the token are in it.
 */
export interface LogEntry {
  /** The `operationId`. */
  readonly operation: string
  /** From 1. */
  readonly attempt: number
  readonly milliseconds: number
  /** 0 if there was no answer. */
  readonly status: number
  /** The code of the error. Null for a success. */
  readonly code: string | null
  /** Empty if there was no answer. */
  readonly requestId: string
  /** The milliseconds until the next attempt. Null if there is none. */
  readonly retryIn: number | null
}

export type Log = (entry: LogEntry) => void
