import { type DealClosing, readDealClosings } from '../crm/deals/index.ts'
import type { FeedEvent } from '../kernel/feed/index.ts'
import type { Services } from '../kernel/index.ts'
import { SharedReads } from './shared-reads.ts'

type Closings = ReadonlyMap<string, DealClosing>

/** Reads which events have won, lost or reopened a deal: by one statement for all that an organization wants at the same moment. */
export class OrganizationClosings {
  readonly #services: Pick<Services, 'database'>
  readonly #reads = new SharedReads<FeedEvent, Closings>()

  constructor(services: Pick<Services, 'database'>) {
    this.#services = services
  }

  /** By the id of an event: what it did to its deal. Has these events, and others. */
  async read(organizationId: string, events: readonly FeedEvent[]): Promise<Closings> {
    if (events.length === 0) return new Map()
    const entries = events.map(event => [event.id, event] as const)
    return this.#reads.take(organizationId, entries, asked => readDealClosings(organizationId, asked, this.#services))
  }
}
