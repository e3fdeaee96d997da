import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeEvent } from 'crm-sdk/schemas'
import { CommandFailure } from '../failure.ts'
import type { FollowedEvent } from '../feed/follow-feed.ts'
import type { Listener } from './listener-file.ts'
import { headersOf, messageOf } from './message.ts'
import type { Receiver } from './receiver.ts'
import type { ShownRecord } from './shown-record.ts'

/** A call of the receiver, as it is printed. */
export interface ForwardedCall {
  readonly at: string
  readonly type: string
  readonly seq: number
  readonly recordId: string
  readonly attempt: number
  readonly status: number | null
  readonly milliseconds: number
  readonly failure: string | null
}

export interface Forwarding {
  readonly listener: Listener
  readonly receiver: Receiver
  /** Reads the record for a full body. Absent for thin ones. */
  readonly show?: (event: ChangeEvent) => Promise<ShownRecord>
  readonly signal: AbortSignal
  readonly print: (call: ForwardedCall) => Promise<void>
}

/** The members of a call, for `--fields`. */
export const callNames: Readonly<Record<keyof ForwardedCall, 0>> = {
  at: 0,
  type: 0,
  seq: 0,
  recordId: 0,
  attempt: 0,
  status: 0,
  milliseconds: 0,
  failure: 0,
}

/** The seconds before another attempt: doubled each time. */
const [shortestRest, longestRest] = [1, 30]

/**
 * Posts the message about an event until the receiver takes it with a status from 200 to 299, with the same id and a new time at each attempt. Later events
 * wait, so the order is kept. Throws the reason of the signal when that ends it, and CommandFailure when the receiver answers 410.
 */
export async function forward(
  followed: FollowedEvent,
  { listener, receiver, show, signal, print }: Forwarding,
): Promise<void> {
  const { seq, resourceId: recordId } = followed.event
  for (let attempt = 1; ; attempt++) {
    // Another attempt shows the record as it is then.
    const message = messageOf(followed, listener.webhookId, await show?.(followed.event))
    const at = Date.now()
    const { status, failure, milliseconds } = await receiver.post(message.body, headersOf(message, listener.secret, at))
    const call = { at: new Date(at).toISOString(), type: followed.kind, seq, recordId, attempt }
    await print({ ...call, status: status === 0 ? null : status, milliseconds, failure })
    if (status >= 200 && status <= 299) return
    if (status === 410)
      throw new CommandFailure('the receiver answered 410: it wants no more. A webhook would be paused now')
    await sleep(1000 * Math.min(longestRest, shortestRest * 2 ** (attempt - 1)), undefined, { signal })
  }
}
