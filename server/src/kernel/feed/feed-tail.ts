import { bounds } from '../limits/bounds.ts'
import type { Row } from '../sql/index.ts'
import { type FeedEvent, sizeOfEvent, toFeedEvent } from './feed-event.ts'

/** Who is told that a tail has news. */
export interface Follower {
  /** Set when the feed went on without what the tail has read: then the follower starts over. */
  isCutOff: boolean
  onNews(): void
}

/** The newest events of one organization, as far as they were read and are kept. It reads nothing itself. */
export class FeedTail {
  readonly organizationId: string
  readonly followers = new Set<Follower>()
  /** Whether there may be events that were not read. */
  isStale = true
  isReading = false
  /** All events after this number and up to `head` are kept. */
  #from: number
  #head: number
  #events: FeedEvent[] = []
  #bytes = 0
  #epoch: string | null = null
  #ownEpoch: string | null = null

  constructor(organizationId: string, after: number) {
    this.organizationId = organizationId
    this.#from = after
    this.#head = after
  }

  /** The number of the newest event that was read. */
  get head(): number {
    return this.#head
  }

  /** The bytes of the kept events. */
  get bytes(): number {
    return this.#bytes
  }

  /** The kept events after this number, oldest first; null if some of them are not kept. */
  after(seq: number): readonly FeedEvent[] | null {
    if (seq < this.#from) return null
    return this.#events.slice(this.#events.findLastIndex(event => event.seq <= seq) + 1)
  }

  /** Compares with what a look at the head has found. */
  look({ seq, epoch }: Row): void {
    if (Number(seq) !== this.#head || (this.#ownEpoch !== null && String(epoch) !== this.#ownEpoch)) this.isStale = true
  }

  /** Takes what a read after `head` has found, at most `page` events. Returns whether there is more to read. */
  take(rows: readonly Row[], page: number): boolean {
    const [first] = rows
    // Without a feed the organization is gone.
    if (first === undefined) return this.#begin(this.#head)
    const head = Number(first.head)
    const epoch = String(first.epoch)
    const isSameFeed = (this.#epoch === null || this.#epoch === epoch) && head >= this.#head
    this.#epoch = epoch
    this.#ownEpoch = String(first.own_epoch)
    // Followers that are so far behind read by themselves; otherwise one of them would make all others wait.
    if (!isSameFeed || head - this.#head > bounds.feedTailEvents.most) return this.#begin(head)
    const events = rows.filter(row => row.seq !== null).map(toFeedEvent)
    this.#events.push(...events)
    this.#bytes += events.reduce((sum, event) => sum + sizeOfEvent(event), 0)
    const isAll = events.length < page
    this.#head = isAll ? head : (events.at(-1)?.seq ?? head)
    this.keepAtMost(bounds.feedTailBytes.most)
    if (events.length > 0) for (const follower of this.followers) follower.onNews()
    return !isAll
  }

  /** Forgets the oldest events until the others take this many bytes at most. */
  keepAtMost(bytes: number): void {
    let left = this.#events.length
    let dropped = 0
    for (; left > bounds.feedTailEvents.most || this.#bytes > bytes; left -= 1) {
      const oldest = this.#events[dropped]
      if (oldest === undefined) break
      this.#bytes -= sizeOfEvent(oldest)
      this.#from = oldest.seq
      dropped += 1
    }
    if (dropped > 0) this.#events.splice(0, dropped)
  }

  /** Goes on at this number without the events before it. */
  #begin(head: number): false {
    this.#from = head
    this.#head = head
    this.#events = []
    this.#bytes = 0
    for (const follower of this.followers) {
      follower.isCutOff = true
      follower.onNews()
    }
    return false
  }
}
