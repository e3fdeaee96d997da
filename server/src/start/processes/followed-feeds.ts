import type { Commits, FromPart, ToPart } from './messages.ts'

/** A process of the server. */
interface Part {
  readonly isReady: boolean
  tell(message: ToPart): void
}

/**
 * Which processes of a server follow the feeds of which organizations. A process hears of a feed that another one follows, and only then
 * tells of its commits: without followers no commit costs a message.
 */
export class FollowedFeeds {
  readonly #alive: () => Iterable<Part>
  readonly #followers = new Map<string, Set<Part>>()

  constructor(alive: () => Iterable<Part>) {
    this.#alive = alive
  }

  /** Takes the messages about feeds, and that a process is ready. */
  take(part: Part, message: FromPart): void {
    if (message.crm === 'ready') this.#welcome(part)
    else if (message.crm === 'follow') this.#change(part, message.organizationId, message.follows)
    else if (message.crm === 'committed') this.#pass(part, message.commits)
  }

  /** Forgets a process that has ended. */
  forget(part: Part): void {
    for (const organizationId of this.#of(part)) this.#change(part, organizationId, false)
  }

  #welcome(part: Part): void {
    const followed = [...this.#followers.keys()].filter(organizationId => this.#isFollowedBeside(part, organizationId))
    if (followed.length > 0) part.tell({ crm: 'followed', organizationIds: followed, isFollowed: true })
  }

  #change(part: Part, organizationId: string, follows: boolean): void {
    const others = [...this.#alive()].filter(each => each !== part && each.isReady)
    const before = others.map(each => this.#isFollowedBeside(each, organizationId))
    const followers = this.#followers.get(organizationId) ?? new Set()
    if (follows) followers.add(part)
    else followers.delete(part)
    if (followers.size === 0) this.#followers.delete(organizationId)
    else this.#followers.set(organizationId, followers)
    for (const [index, each] of others.entries()) {
      const isFollowed = this.#isFollowedBeside(each, organizationId)
      if (isFollowed !== before[index]) each.tell({ crm: 'followed', organizationIds: [organizationId], isFollowed })
    }
  }

  #pass(from: Part, commits: readonly Commits[]): void {
    const news = new Map<Part, Commits[]>()
    for (const each of commits)
      for (const follower of this.#followers.get(each.organizationId) ?? [])
        if (follower !== from) news.set(follower, [...(news.get(follower) ?? []), each])
    for (const [follower, its] of news) follower.tell({ crm: 'committed', commits: its })
  }

  #isFollowedBeside(part: Part, organizationId: string): boolean {
    return [...(this.#followers.get(organizationId) ?? [])].some(each => each !== part)
  }

  #of(part: Part): string[] {
    return [...this.#followers].flatMap(([organizationId, followers]) => (followers.has(part) ? [organizationId] : []))
  }
}
