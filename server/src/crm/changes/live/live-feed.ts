import type { FeedFollower } from '../../../kernel/feed/index.ts'
import {
  bounds,
  type Caller,
  mayRead,
  Refusal,
  type Services,
  unattended,
  type Waiting,
} from '../../../kernel/index.ts'
import { readFeedPage } from '../feed-page.ts'
import { serverSentComment, serverSentEvent, type ToldEvent, toLiveChange } from './live-event.ts'
import { Signal } from './signal.ts'

/** Where a live feed begins, and what it tells. */
export interface LivePosition {
  readonly fromSeq: number
  readonly epoch: number
  /** The kinds of records and the types of jobs that the caller may read. */
  readonly types: readonly string[]
  /** The cursor of a number, with which a client goes on. */
  cursorOf(seq: number): string
}

/**
 * The changes of the feed from a position on, as server-sent events, as they are committed. It ends when the client leaves, when the server
 * stops, when the caller may no longer read what it could, and when the feed begins anew.
 */
export async function* liveFeed(
  position: LivePosition,
  caller: Caller,
  services: Services,
  { passAgain, whenLeft }: Waiting,
): AsyncGenerator<Uint8Array> {
  const news = new Signal()
  let isOver = false
  const end = () => {
    isOver = true
    news.raise()
  }
  const stay = [services.feedWaits.whenOver(end), whenLeft(end)]
  const feed = new FollowedFeed(position, caller, services, () => news.raise())
  const namesOperators = mayRead('operators', caller.scopes)
  const told = (name: string, seq: number, data: object) => serverSentEvent(name, position.cursorOf(seq), data)
  let last = position.fromSeq
  let checked = performance.now()
  let spoken = checked
  try {
    yield Buffer.from(`retry: 2000\n${told('position', last, { seq: last, filtered: 0 })}`)
    while (!isOver) {
      if (performance.now() - checked >= bounds.streamCheck.most) {
        if (!mayStillRead(caller, await passAgain())) return
        checked = performance.now()
      }
      const events = await feed.next()
      if (events === null) return
      let text = ''
      for (const event of events) {
        text += told('change', event.seq, toLiveChange(event, last, namesOperators))
        last = event.seq
        if (text.length < bounds.streamChunk.most) continue
        yield Buffer.from(text)
        text = ''
      }
      if (text === '' && performance.now() - spoken >= bounds.streamSilence.most) {
        const filtered = feed.seq - last
        text = filtered === 0 ? serverSentComment : told('position', feed.seq, { seq: feed.seq, filtered })
        last = feed.seq
      }
      if (text !== '') yield Buffer.from(text)
      if (text !== '' || events.length > 0) spoken = performance.now()
      if (feed.isAtEnd)
        await news.wait(
          Math.min(checked + bounds.streamCheck.most, spoken + bounds.streamSilence.most) - performance.now(),
        )
    }
  } finally {
    feed.leave()
    for (const leave of stay) leave()
  }
}

/** Whether the caller is the same and has the same rights: what was told before would not fit other ones. */
function mayStillRead({ scopes, organization }: Caller, present: Caller | Refusal): boolean {
  if (present instanceof Refusal || present.organization.id !== organization.id) return false
  return present.scopes.size === scopes.size && [...scopes].every(scope => present.scopes.has(scope))
}

/** The most events of a page that is read from the database. */
const page = 100

/** The events behind a position: from the shared reader of the organization near the head, from the database before. */
class FollowedFeed {
  readonly #position: LivePosition
  readonly #caller: Caller
  readonly #services: Services
  readonly #types: ReadonlySet<string>
  readonly #onNews: () => void
  #follower: FeedFollower | null = null
  #seq: number
  #isAtEnd = false

  constructor(position: LivePosition, caller: Caller, services: Services, onNews: () => void) {
    this.#position = position
    this.#caller = caller
    this.#services = services
    this.#types = new Set(position.types)
    this.#onNews = onNews
    this.#seq = position.fromSeq
  }

  /** The number up to which everything was read. */
  get seq(): number {
    return this.#seq
  }

  /** Whether there may be nothing to read before the next news. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /** The next events; null if the position is not of this feed any more. */
  async next(): Promise<readonly ToldEvent[] | null> {
    const later = this.#follower?.after(this.#seq) ?? null
    this.#isAtEnd = later !== null
    if (later !== null) {
      this.#seq = later.toSeq
      return later.events
    }
    this.leave()
    const { types, epoch } = this.#position
    // Not the reader of the request, which holds its turn among the large answers until it ends.
    const reader = unattended(this.#caller.organization.id)
    const asked = { types, epoch, fromSeq: this.#seq, limit: page }
    const read = await readFeedPage(asked, this.#caller, reader, this.#services)
    if (read instanceof Refusal) return null
    const { range, hasMore } = read.meta
    this.#seq = range.toSeq
    if (!hasMore) this.#follow()
    return read.data
  }

  leave(): void {
    this.#follower?.leave()
    this.#follower = null
  }

  #follow(): void {
    const { epoch } = this.#position
    const followed = { after: this.#seq, epoch, types: this.#types, onNews: this.#onNews }
    this.#follower = this.#services.feedTails.follow(this.#caller.organization.id, followed)
  }
}
