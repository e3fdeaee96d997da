import type { Answer, WithResponse } from './answer.ts'
import { CrmError } from './errors.ts'
import { exchange, type Wire } from './exchange.ts'
import type { Log } from './log.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { WriteOptions } from './options.ts'
import { prepare } from './request.ts'
import { pauseAfter } from './retry.ts'

/** What sends calls: the client, or what stands in for it. */
export interface Caller {
  request(operation: Operation, args?: CallArguments, options?: WriteOptions): Answer<unknown>
}

/** How a client sends its calls. */
export interface Calling extends Wire {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly log: Log | undefined
  readonly random: () => number
  /** How often a call is sent at most. */
  readonly attempts: number
  /** The milliseconds of an attempt. */
  readonly timeout: number
  /** The milliseconds of a call with all its attempts and the waits between them. */
  readonly deadline: number
}

/**
 * Sends a call until it succeeds, is refused for good, or has used up its attempts or its time: then throws why the last attempt failed. A
 * write has the same key and the same bytes with each attempt, so it is executed once. Throws TypeError for arguments that cannot be sent.
 */
export async function send(
  calling: Calling,
  operation: Operation,
  args: CallArguments,
  options: WriteOptions,
): Promise<WithResponse<unknown>> {
  const { clock, attempts, timeout: usual, log, random } = calling
  const { timeout = usual, signal, onRetry } = options
  const request = prepare(calling.base, calling.headers, operation, args, options)
  // A caller who gives one attempt more time than the whole call has means the call too.
  const end = clock.now() + Math.max(calling.deadline, timeout)

  for (let attempt = 1; ; attempt++) {
    const start = clock.now()
    const tell = (status: number, code: string | null, requestId: string, retryIn: number | null) =>
      log?.({ operation: operation.id, attempt, milliseconds: clock.now() - start, status, code, requestId, retryIn })
    try {
      const answer = await exchange(calling, request, Math.min(timeout, end - start), signal)
      tell(answer.response.status, null, answer.requestId, null)
      return answer
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      const pause = attempt < attempts ? pauseAfter(error, attempt, random) : null
      const isLast = pause === null || clock.now() + pause >= end
      tell(error.status, error.code, error.requestId, isLast ? null : pause)
      if (isLast) throw error
      onRetry?.(error, pause)
      await clock.sleep(pause, signal)
      // A machine that slept may have used up the time of the call.
      if (clock.now() >= end) throw error
    }
  }
}
