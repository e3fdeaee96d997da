import { type Crm, FeedGap } from 'crm-sdk'
import type { ChangeEvent } from 'crm-sdk/schemas'
import { CommandFailure, exitStatus } from '../failure.ts'
import { closingOf } from './deal-closing.ts'
import { type Wish, wantedKinds } from './kinds.rules.ts'
import type { FeedPosition } from './position-file.ts'

export interface Followed {
  readonly wish: Wish
  /** Where to begin; null: now. */
  readonly start: FeedPosition | null
  /** Ends it, as soon as the event under way is handled. */
  readonly signal: AbortSignal
  /** Whether to go on when events are gone. */
  readonly skipsMissing: boolean
  readonly tell: (text: string) => void
}

export interface FollowedEvent {
  /** The kind under which it is wanted: its own, or one that is derived from it. */
  readonly kind: string
  readonly event: ChangeEvent
}

/**
 * Handles each wanted event, one after another, and stores the position behind each. Goes on until the signal. An event that was not handled
 * when the program ended is the first one the next time.
 *
 * @throws CommandFailure with the status `missed` if events are gone or a number is missing.
 */
export async function followFeed(
  crm: Crm,
  { wish, start, signal, skipsMissing, tell }: Followed,
  handle: (followed: FollowedEvent) => Promise<void>,
  store: (position: FeedPosition) => Promise<void>,
): Promise<void> {
  let handled = start?.seq ?? 0
  let pageStart = start?.cursor ?? ''
  const { resourceTypes } = wish
  // A position that was given counts from now on, also if the program ends before the first event.
  if (start !== null) await store(start)
  try {
    const steps = crm.changes.follow(start?.cursor ?? null, { signal, ...(resourceTypes && { resourceTypes }) })
    for await (const { events, cursor, reset } of steps) {
      if (reset !== null) {
        const said = `events before now are gone: ${String(reset['resync'] ?? 'read all records anew')}`
        if (!skipsMissing) throw missed(`${said}. Then --skip-missing goes on from now`)
        tell(said)
        handled = 0
      }
      for (const event of events) {
        if (event.seq <= handled) continue
        for (const kind of wantedKinds(event, await closingOf(crm, event, wish), wish)) {
          await handle({ kind, event })
        }
        handled = event.seq
        await store({ cursor: pageStart, seq: handled })
        if (signal.aborted) return
      }
      pageStart = cursor
      handled = 0
      await store({ cursor, seq: 0 })
    }
  } catch (error) {
    if (signal.aborted) return
    if (FeedGap.is(error)) throw missed(error.message)
    throw error
  }
}

function missed(message: string): CommandFailure {
  return new CommandFailure(message, exitStatus.missed)
}
