import { bounds } from '../limits/bounds.ts'
import type { Row } from '../sql/index.ts'
import { type FeedEvent, sizeOfEvent, toFeedEvent } from './feed-event.ts'

/** Who is told that a tail has news. */
export interface Follower {
  /** The epoch of the feed that it follows. Null if it takes events of any epoch. */
  readonly epoch: number | null
  /** The kinds of records and the types of jobs whose events it asks for. */
  readonly types: ReadonlySet<string>
  /** Set when the feed went on without what the tail has read: then the follower starts over. */
  isCutOff: boolean
  onNews(): void
}

/** The events of a feed after a position. */
export interface LaterEvents {
  /** Those that were asked for, oldest first. */
  readonly events: readonly FeedEvent[]
  /** There are no others up to this number. */
  readonly toSeq: number
}

/** What one read has looked for. */
export interface FeedRead {
  readonly types: ReadonlySet<string>
  /** The most events. */
  readonly page: number
}

/**
 * The newest events of one organization that its followers ask for, as far as they were read and are kept. It reads nothing itself.
 */
export class FeedTail {
  readonly organizationId: string
  readonly followers = new Set<Follower>()
  /** Whether there may be events that were not read. */
  isStale = true
  /** Whether a follower asks for one of them. */
  isDue = false
  isReading = false
  /** No event after this number and up to `head` that was read is forgotten. */
  #from: number
  /** By type, the number from which all its events up to `head` were read. */
  readonly #readFrom = new Map<string, number>()
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

  /** The types that followers ask for now. */
  get types(): Set<string> {
    return new Set([...this.followers].flatMap(({ types }) => [...types]))
  }

  /** Whether a follower asks for events of one of these types. */
  isAskedFor(types: Iterable<string>): boolean {
    const asked = [...types]
    for (const follower of this.followers) if (asked.some(type => follower.types.has(type))) return true
    return false
  }

  /** The events after this number that a follower asks for; null if some of them are not kept, were not read, or are of another epoch. */
  after(seq: number, { epoch, types, isCutOff }: Omit<Follower, 'onNews'>): LaterEvents | null {
    if (epoch !== null && this.#epoch !== null && epoch !== Number(this.#epoch)) return null
    const from = Math.max(this.#from, ...[...types].map(type => this.#readFrom.get(type) ?? this.#head))
    if (isCutOff || seq < from) return null
    const later = this.#events.slice(this.#events.findLastIndex(event => event.seq <= seq) + 1)
    const events = later.filter(({ resourceType }) => types.has(resourceType))
    return { events, toSeq: Math.max(seq, this.#head) }
  }

  /** Tells all followers, so that they learn how far the feed is, although it has nothing that they ask for. */
  tellAll(): void {
    for (const follower of this.followers) follower.onNews()
  }

  /** Compares with what a look at the head has found. */
  look({ seq, epoch }: Row): void {
    if (Number(seq) !== this.#head || (this.#ownEpoch !== null && String(epoch) !== this.#ownEpoch)) this.isStale = true
  }

  /** Takes what a read after `head` has found. Returns whether there is more to read. */
  take(rows: readonly Row[], { types, page }: FeedRead): boolean {
    const [first] = rows
    // Without a feed the organization is gone.
    if (first === undefined) return this.#begin(this.#head)
    const head = Number(first.head)
    const epoch = String(first.epoch)
    const isSameFeed = (this.#epoch === null || this.#epoch === epoch) && head >= this.#head
    this.#epoch = epoch
    this.#ownEpoch = String(first.own_epoch)
    // Followers that are so far behind read by themselves; otherwise one of them would make all others wait.
    if (!isSameFeed || head - this.#head > bounds.feedScan.most) return this.#begin(head)
    for (const type of this.#readFrom.keys()) if (!types.has(type)) this.#readFrom.delete(type)
    for (const type of types) if (!this.#readFrom.has(type)) this.#readFrom.set(type, this.#head)
    const events = rows.filter(row => row.seq !== null).map(toFeedEvent)
    this.#events.push(...events)
    this.#bytes += events.reduce((sum, event) => sum + sizeOfEvent(event), 0)
    const isAll = events.length < page
    this.#head = isAll ? head : (events.at(-1)?.seq ?? head)
    this.keepAtMost(bounds.feedTailBytes.most)
    const found = new Set(events.map(({ resourceType }) => resourceType))
    // A follower that joined since the read began, and asks for other types, has to read by itself.
    const isNews = (type: string) => found.has(type) || !types.has(type)
    for (const follower of this.followers) if ([...follower.types].some(isNews)) follower.onNews()
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
    this.#readFrom.clear()
    this.#events = []
    this.#bytes = 0
    for (const follower of this.followers) {
      follower.isCutOff = true
      follower.onNews()
    }
    return false
  }
}
