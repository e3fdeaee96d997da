import type { FeedTails, Neighbours } from '../../kernel/feed/index.ts'
import type { FromPart, ToPart } from './messages.ts'

/** The least time between two messages about commits: those of this time share one. */
const pauseMilliseconds = 10

/** What a process of a server tells the others about feeds, through the first process, and hears from them. */
export class FeedNews implements Neighbours {
  readonly #tell: (message: FromPart) => void
  #tails: FeedTails | null = null
  /** The types of the events, by organization. */
  readonly #committed = new Map<string, Set<string>>()
  #timer: NodeJS.Timeout | undefined
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(tell: (message: FromPart) => void) {
    this.#tell = tell
  }

  /** From now on these tails hear of the commits of other processes. */
  join(tails: FeedTails): void {
    this.#tails = tails
    tails.join(this)
  }

  follow(organizationId: string, follows: boolean): void {
    this.#tell({ crm: 'follow', organizationId, follows })
  }

  committed(organizationId: string, types: ReadonlySet<string>): void {
    this.#committed.set(organizationId, new Set([...(this.#committed.get(organizationId) ?? []), ...types]))
    if (this.#timer !== undefined) return
    const pause = Math.max(0, this.#toldAt + pauseMilliseconds - performance.now())
    this.#timer = setTimeout(() => this.#send(), pause).unref()
  }

  /** Takes a message of the first process about feeds. */
  take(message: Extract<ToPart, { readonly crm: 'followed' | 'committed' }>): void {
    if (message.crm === 'committed')
      for (const { organizationId, types } of message.commits) this.#tails?.heard(organizationId, types)
    else for (const each of message.organizationIds) this.#tails?.followedElsewhere(each, message.isFollowed)
  }

  #send(): void {
    this.#timer = undefined
    this.#toldAt = performance.now()
    const commits = [...this.#committed].map(([organizationId, types]) => ({ organizationId, types: [...types] }))
    this.#tell({ crm: 'committed', commits })
    this.#committed.clear()
  }
}
