import { realClock } from '../core/clock.ts'
import type { FeedReads } from './feed-page.ts'
import { type FollowOptions, follow } from './follow.ts'
import type { Resting } from './rest.ts'

/** Where a copy keeps how far it has come. */
export interface CursorStore {
  /** The stored cursor; null before the first. */
  read(): Promise<string | null> | string | null
  write(cursor: string): Promise<void> | void
}

/** How a copy is made and kept. */
export interface Copy<Event> {
  /** Replaces the copy by all records, as the lists of the API have them now: also removes what they do not have. */
  load(): Promise<void>
  /** Applies events, in order. An event can come a second time after a crash: take its record as it is now, or compare versions. */
  apply(events: readonly Event[], cursor: string): Promise<void> | void
  readonly store: CursorStore
}

/**
 * Keeps a copy of the records complete, without end: takes the cursor, loads all records, and then applies every later event. The cursor
 * is stored after what it stands for, so a program that died begins again where it stopped. If events are gone, it loads anew.
 */
export async function synchronize<Event extends { readonly seq: number }>(
  changes: FeedReads<Event>,
  { load, apply, store }: Copy<Event>,
  options: FollowOptions = {},
  resting: Resting = { clock: realClock },
): Promise<void> {
  const stored = await store.read()
  let mustLoad = stored === null
  for await (const { events, cursor, reset } of follow(changes, stored, options, resting)) {
    if (mustLoad || reset !== null) await load()
    if (events.length > 0) await apply(events, cursor)
    mustLoad = false
    await store.write(cursor)
  }
}
