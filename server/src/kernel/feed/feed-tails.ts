import { setTimeout as sleep } from 'node:timers/promises'
import { unattended } from '../auth/actor.ts'
import { bounds } from '../limits/bounds.ts'
import type { Database } from '../sql/index.ts'
import { selectHeads, selectTail } from './feed.sql.ts'
import { FeedTail, type Follower, type LaterEvents } from './feed-tail.ts'

/** How often the heads of all followed feeds are looked at, in milliseconds. */
const lookMilliseconds = 1000

/** How many events one read takes, and the least time between two reads of one feed: many commits share a read. */
const page = 500
const pauseMilliseconds = 10

/** The other processes of a server. */
export interface Neighbours {
  /** Tells them that this process follows the feed of an organization from now on, or no longer does. */
  follow(organizationId: string, follows: boolean): void
  /** Tells those that follow the feed that this process has committed events of the organization. */
  committed(organizationId: string, types: ReadonlySet<string>): void
}

/** What someone asks for who follows the feed of an organization. */
export interface Followed {
  /** Everything up to this number is known to the caller. */
  readonly after: number
  /** The epoch to which `after` belongs. Without it, events of any epoch come, and the caller has to compare the epochs. */
  readonly epoch?: number
  /** Kinds of records and types of jobs. */
  readonly types: ReadonlySet<string>
  onNews(): void
}

/** One who follows the feed of an organization. */
export interface FeedFollower {
  /**
   * The events after this number as far as the tail has read. null if the tail does not keep all of them, or the feed has begun anew: then
   * leave, read the feed, and follow again from its end.
   */
  after(seq: number): LaterEvents | null
  leave(): void
}

/**
 * Follows the feeds of organizations: one reader for each organization, however many follow it. It reads the events of the types that its
 * followers ask for: when this process has committed such events (`committed`), when another process of the server says so (`heard`), and
 * when a look at the heads finds more, once a second for all feeds together. That works behind a pooler, and for servers that know nothing
 * of each other. It keeps the newest 2,000 events of an organization, 1 MiB at most, and forgets an organization that nobody has followed
 * since the last look.
 */
export class FeedTails {
  readonly #database: Pick<Database, 'query'>
  readonly #onFailure: (error: unknown) => void
  readonly #tails = new Map<string, FeedTail>()
  /** Organizations whose feeds other processes of the server follow. */
  readonly #followedElsewhere = new Set<string>()
  #neighbours: Neighbours | null = null
  #timer: NodeJS.Timeout | undefined
  #reads = 0

  /** `onFailure` gets the error of a read that failed. It is repeated at the next look. */
  constructor(database: Pick<Database, 'query'>, onFailure: (error: unknown) => void) {
    this.#database = database
    this.#onFailure = onFailure
  }

  /**
   * Follows a feed from nearly its head, because the tail does not go back for a follower, and gives null to one that is 2,000 events
   * behind. Calls `onNews` when there may be events after it, and once a second because its position may be a later one; `after` says which.
   */
  follow(organizationId: string, { after, epoch, types, onNews }: Followed): FeedFollower {
    const known = this.#tails.get(organizationId)
    const tail = known ?? new FeedTail(organizationId, after)
    const follower: Follower = { epoch: epoch ?? null, types, isCutOff: false, onNews }
    tail.followers.add(follower)
    if (known === undefined) {
      this.#tails.set(organizationId, tail)
      this.#neighbours?.follow(organizationId, true)
      this.#timer ??= setTimeout(() => void this.#look(), lookMilliseconds).unref()
    }
    // The first read also covers what was committed before the neighbours knew.
    if (tail.isStale) {
      tail.isDue = true
      void this.#read(tail)
    }
    return {
      after: seq => tail.after(seq, follower),
      leave: () => void tail.followers.delete(follower),
    }
  }

  /** This process has committed events of these types in the organization. */
  committed(organizationId: string, types: ReadonlySet<string>): void {
    this.heard(organizationId, types)
    if (this.#followedElsewhere.has(organizationId)) this.#neighbours?.committed(organizationId, types)
  }

  /** Another process of the server has committed events of these types in the organization. */
  heard(organizationId: string, types: Iterable<string>): void {
    const tail = this.#tails.get(organizationId)
    if (tail === undefined) return
    tail.isStale = true
    if (!tail.isAskedFor(types)) return
    tail.isDue = true
    void this.#read(tail)
  }

  /** From now on this process tells others of its commits, and hears of theirs. */
  join(neighbours: Neighbours): void {
    this.#neighbours = neighbours
  }

  /** Whether other processes of the server follow the feed of an organization. */
  followedElsewhere(organizationId: string, isFollowed: boolean): void {
    if (isFollowed) this.#followedElsewhere.add(organizationId)
    else this.#followedElsewhere.delete(organizationId)
  }

  /** How many feeds are followed, or were at the last look. */
  get followed(): number {
    return this.#tails.size
  }

  /** How many reads of feeds there were since the start. */
  get reads(): number {
    return this.#reads
  }

  /** Ends the looks at the heads. Followers hear nothing more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#tails.clear()
  }

  async #look(): Promise<void> {
    for (const [organizationId, { followers }] of this.#tails) {
      if (followers.size > 0) continue
      this.#tails.delete(organizationId)
      this.#neighbours?.follow(organizationId, false)
    }
    if (this.#tails.size > 0) {
      try {
        const heads = await this.#database.query(selectHeads, [[...this.#tails.keys()]])
        for (const row of heads) this.#tails.get(String(row.organization_id))?.look(row)
      } catch (error) {
        this.#onFailure(error)
      }
      for (const tail of this.#tails.values()) {
        tail.tellAll()
        if (tail.isStale && tail.followers.size > 0) void this.#read(tail)
      }
    }
    this.#timer = this.#tails.size === 0 ? undefined : setTimeout(() => void this.#look(), lookMilliseconds).unref()
  }

  /** Reads until nothing is left that a follower asks for. Commits during a read lead to one more, after a pause. */
  async #read(tail: FeedTail): Promise<void> {
    if (tail.isReading) return
    tail.isReading = true
    const { organizationId, followers } = tail
    try {
      for (let isFirst = true; (tail.isDue || isFirst) && followers.size > 0; isFirst = false) {
        if (!isFirst) await sleep(pauseMilliseconds, undefined, { ref: false })
        tail.isStale = false
        tail.isDue = false
        this.#reads += 1
        const { head, types } = tail
        const values = [organizationId, head, [...types], page, head + bounds.feedScan.most]
        const rows = await this.#database.query(selectTail, values, unattended(organizationId))
        if (tail.take(rows, { types, page })) tail.isDue = true
        this.#shareRoom()
      }
    } catch (error) {
      tail.isStale = true
      this.#onFailure(error)
    } finally {
      tail.isReading = false
    }
  }

  /** When all tails together keep too much, each keeps its share. */
  #shareRoom(): void {
    let bytes = 0
    for (const tail of this.#tails.values()) bytes += tail.bytes
    if (bytes <= bounds.processFeedTailBytes.most) return
    for (const tail of this.#tails.values()) tail.keepAtMost(bounds.processFeedTailBytes.most / this.#tails.size)
  }
}
