import type { Admission } from '../admission/index.ts'
import type { WhenGone } from '../input/call.ts'
import type { FeedTails } from './feed-tails.ts'

/** Why a wait has ended: there may be a matching event, its time is over or the server stops, or the client has left. */
export type WaitEnd = 'news' | 'over' | 'left'

/** What a request waits for: an event of these types, or that there are more others than it looks at. */
interface AwaitedEvents {
  readonly organizationId: string
  /** The number of the last event that the request has looked at. */
  readonly after: number
  readonly types: ReadonlySet<string>
  /** The last number that its page looks at. */
  readonly lastSeq: number
  /** Until when it waits, on the clock of `performance.now()`. */
  readonly until: number
  readonly whenLeft: WhenGone
}

/** The requests that wait for an event of their organization. They hold no database connection. */
export class FeedWaits {
  readonly #tails: Pick<FeedTails, 'follow'>
  readonly #admission: Pick<Admission, 'waits'>
  readonly #ends = new Set<(why: WaitEnd) => void>()
  #isOver = false

  constructor(tails: Pick<FeedTails, 'follow'>, admission: Pick<Admission, 'waits'>) {
    this.#tails = tails
    this.#admission = admission
  }

  /** A place for a request that waits; null if its organization or the process has none left, or the server stops. Call it to leave. */
  enter(organizationId: string): (() => void) | null {
    const { waits } = this.#admission
    if (this.#isOver || waits.exceeded(organizationId, 1) !== null) return null
    waits.take(organizationId, 1)
    return () => waits.give(organizationId, 1)
  }

  /** Waits for such an event. `news` can be a false alarm: the caller reads, and waits again. */
  next({ organizationId, after, types, lastSeq, until, whenLeft }: AwaitedEvents): Promise<WaitEnd> {
    if (this.#isOver) return Promise.resolve('over')
    return new Promise(resolve => {
      let seen = after
      const look = () => {
        const news = follower.after(seen)
        if (news === null || news.events.length > 0 || news.toSeq > lastSeq) return end('news')
        seen = news.toSeq
      }
      const end = (why: WaitEnd) => {
        clearTimeout(late)
        follower.leave()
        stay()
        this.#ends.delete(end)
        resolve(why)
      }
      const late = setTimeout(() => end('over'), Math.max(0, until - performance.now()))
      const follower = this.#tails.follow(organizationId, { after, types, onNews: look })
      this.#ends.add(end)
      let stay = () => {}
      stay = whenLeft(() => end('left'))
      look()
    })
  }

  /** Calls the listener when the server stops, at once if it already does. Returns a function that removes the listener. */
  whenOver(listener: () => void): () => void {
    if (this.#isOver) listener()
    this.#ends.add(listener)
    return () => void this.#ends.delete(listener)
  }

  /** Ends all waits, because the server stops. From now on no request waits. */
  end(): void {
    this.#isOver = true
    for (const end of this.#ends) end('over')
  }
}
