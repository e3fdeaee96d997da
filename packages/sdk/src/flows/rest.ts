import type { Clock } from '../core/clock.ts'
import type { CrmError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'

/** The time and the log of the client whose calls a flow repeats. */
export interface Resting {
  readonly clock: Clock
  readonly log?: Log | undefined
}

/** The call that a flow repeats, and how often it has rested for it, from 1. */
export interface Repeated {
  readonly operation: string
  readonly attempt: number
  readonly signal?: AbortSignal | undefined
}

/** How many seconds a flow rests at most. A program that stands still for longer should know. */
export const mostSeconds = 120

/**
 * Rests before a call that failed is made again, and tells the log of it.
 *
 * @throws the error itself if the rest would be longer than 120 seconds.
 */
export async function restAfter(
  error: CrmError,
  seconds: number,
  { operation, attempt, signal }: Repeated,
  { clock, log }: Resting,
): Promise<void> {
  if (seconds > mostSeconds) throw error
  const { status, code, requestId } = error
  const retryIn = 1000 * seconds
  log?.({ operation, attempt, milliseconds: 0, status, code, requestId, retryIn })
  await clock.sleep(retryIn, signal)
}
