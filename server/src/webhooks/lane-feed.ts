import { type ChangeRow, selectChanges } from '../crm/changes/index.ts'
import { isDealClosing } from '../crm/deals/index.ts'
import { type FeedEvent, type FeedFollower, type LaterEvents, sizeOfEvent, toFeedEvent } from '../kernel/feed/index.ts'
import { type Services, unattended } from '../kernel/index.ts'
import type { ApplicationChanges } from './application-changes.ts'
import type { EventMessage } from './event-body.ts'
import type { LaneEvent, LaneRoom, Page } from './lane.rules.ts'
import type { OrganizationClosings } from './organization-closings.ts'
import type { Subscription } from './subscription.ts'
import { type Wish, wantedKinds, wantedTypes } from './wanted-events.rules.ts'

/** An event that a lane holds. */
export interface HeldEvent extends LaneEvent {
  /** null: tells that events are missing. */
  readonly change: ChangeRow | null
  readonly message: EventMessage | null
  /** When it was read: the key of its record may change. */
  readonly readAt: number
  /** What it takes in memory, roughly. */
  readonly bytes: number
}

/** The end of a feed. */
export interface FeedHead {
  readonly seq: number
  readonly epoch: number
}

/** Why events are missing, and the head of the feed from which deliveries go on. */
export interface Missing {
  readonly head: FeedHead
  readonly reason: 'expired' | 'epoch'
  /** The first number that the feed has; absent in another epoch. */
  readonly oldest?: number
}

/** An event that a webhook wants, and the kinds of its messages. */
interface Wanted {
  readonly event: FeedEvent
  readonly kinds: readonly string[]
}

interface Asked {
  readonly fromSeq: number
  readonly room: LaneRoom
  /** Kinds of records and types of jobs whose events the webhook may read. */
  readonly readable: ReadonlySet<string>
  /** The epoch of the feed that is read. */
  readonly epoch: number
}

/** What lanes read a feed with. */
export interface FeedReads {
  readonly services: Pick<Services, 'clock' | 'database' | 'feedTails'>
  readonly changes: ApplicationChanges
  readonly closings: OrganizationClosings
}

/** As in a page of the feed: how many numbers one read looks at. */
const mostScanned = 10_000

/**
 * What a lane reads of the feed of its organization: near the head what the tail has read for all of them, which wakes the lane, and pages
 * of its own while it is further behind.
 */
export class LaneFeed {
  readonly #needed: FeedReads
  readonly #organizationId: string
  readonly #applicationId: string
  readonly #wish: Wish
  readonly #onNews: () => void
  #follower: FeedFollower | null = null
  #head: FeedHead | null = null

  /** `onNews` is called when there may be events after what `after` has returned. */
  constructor(subscription: Subscription, needed: FeedReads, onNews: () => void) {
    const { organizationId, applicationId, kinds, changedFields, skipsOwnChanges } = subscription
    this.#needed = needed
    this.#organizationId = organizationId
    this.#applicationId = applicationId
    this.#wish = { kinds, changedFields, exceptApplication: skipsOwnChanges ? applicationId : null }
    this.#onNews = onNews
  }

  /** The head of the feed as far as it is known. */
  get head(): FeedHead | null {
    return this.#head
  }

  /** Takes what a look at the heads of all feeds has found. */
  look(head: FeedHead | undefined): void {
    if (head !== undefined) this.#head = head
  }

  /**
   * What the tail of the feed has after this number of the kinds of records and types of jobs that the webhook asks for. null: a page has to be
   * read. From the head on it follows the tail, until `leave`.
   */
  after(seq: number): LaterEvents | null {
    if (this.#follower === null) {
      if (this.#head === null || this.#head.seq > seq) return null
      const { epoch } = this.#head
      const followed = { after: seq, epoch, types: wantedTypes(this.#wish), onNews: this.#onNews }
      const follower = this.#needed.services.feedTails.follow(this.#organizationId, followed)
      // The tail has just passed this number without looking for these types, or the feed has gone back: the next look tries again.
      if (follower.after(seq) === null) {
        follower.leave()
        return { events: [], toSeq: seq }
      }
      this.#follower = follower
    }
    const news = this.#follower.after(seq)
    if (news === null) this.leave()
    return news
  }

  /** Stops following the tail: the lane has ended, or reads nothing for a while. */
  leave(): void {
    this.#follower?.leave()
    this.#follower = null
  }

  /** The wanted ones of `news`, or of a page if it is null. null: the feed cannot be read now. */
  read(news: LaterEvents | null, asked: Asked): Promise<Page<HeldEvent> | Missing | null> {
    return news === null ? this.#readPage(asked) : this.#readTail(news, asked)
  }

  async #readTail(
    { events, toSeq: end }: LaterEvents,
    { fromSeq, room, readable }: Asked,
  ): Promise<Page<HeldEvent> | null> {
    const looked = events.slice(0, room.most).filter(({ seq }) => seq <= room.lastSeq)
    const next = events[looked.length]
    const toSeq = Math.min(room.lastSeq, next === undefined ? end : next.seq - 1)
    const types = this.#typesOf(readable)
    const wanted = await this.#choose(looked.filter(({ resourceType }) => types.has(resourceType)))
    const seqs = wanted.map(({ event }) => event.seq)
    const readAt = this.#needed.services.clock.now()
    const changes = await this.#needed.changes.read(this.#organizationId, this.#applicationId, seqs)
    if (wanted.some(({ event }) => changes.get(event.seq)?.id !== event.id)) {
      // They have expired, or the feed is another one, which a page tells.
      this.leave()
      return null
    }
    return { fromSeq, toSeq, events: toHeldEvents(wanted, changes, readAt) }
  }

  async #readPage({ fromSeq, room, readable, epoch }: Asked): Promise<Page<HeldEvent> | Missing | null> {
    const scanEnd = Math.min(room.lastSeq, fromSeq + mostScanned)
    const types = [...this.#typesOf(readable)]
    const values = [this.#organizationId, this.#applicationId, fromSeq, types, room.most, scanEnd]
    const { database, clock } = this.#needed.services
    const readAt = clock.now()
    const rows = await database.query<ChangeRow>(selectChanges, values, unattended(this.#organizationId))
    const [first] = rows
    // Without a feed the organization is gone.
    if (first === undefined) return null
    const head = { seq: Number(first.head), epoch: Number(first.epoch) }
    this.#head = head
    if (head.epoch !== epoch) return { head, reason: 'epoch' }
    const oldest = Number(first.oldest)
    if (fromSeq + 1 < oldest || fromSeq > head.seq) return { head, reason: 'expired', oldest }
    const changes = new Map(rows.flatMap(row => (row.seq === null ? [] : [[Number(row.seq), row] as const])))
    const toSeq = changes.size === room.most ? Math.max(...changes.keys()) : Math.min(head.seq, scanEnd)
    const wanted = await this.#choose([...changes.values()].map(toFeedEvent))
    return { fromSeq, toSeq, events: toHeldEvents(wanted, changes, readAt) }
  }

  /** The kinds of records and the types of jobs of which it reads events. */
  #typesOf(readable: ReadonlySet<string>): Set<string> {
    return new Set([...wantedTypes(this.#wish)].filter(type => readable.has(type)))
  }

  async #choose(events: readonly FeedEvent[]): Promise<Wanted[]> {
    const derived = this.#wish.kinds.some(isDealClosing)
      ? await this.#needed.closings.read(this.#organizationId, events)
      : new Map<string, string>()
    return events.flatMap(event => {
      const kinds = wantedKinds(event, derived.get(event.id), this.#wish)
      return kinds.length === 0 ? [] : { event, kinds }
    })
  }
}

function toHeldEvents(wanted: readonly Wanted[], changes: ReadonlyMap<number, ChangeRow>, readAt: number): HeldEvent[] {
  return wanted.flatMap(({ event, kinds }) => {
    const { seq, resourceId } = event
    const change = changes.get(seq)
    if (change === undefined) return []
    return { seq, kinds, resourceId, change, message: null, readAt, bytes: sizeOfEvent(event) }
  })
}
