import type { Clock } from '../clock.ts'
import { bounds } from '../limits/bounds.ts'
import { type Database, statement } from '../sql/index.ts'

// An application that was removed meanwhile has no counts any more. One statement covers all organizations.
const addRequestCounts = statement(
  'add_request_counts',
  `insert into request_counts as r (organization_id, application_id, day, requests, refusals)
   select a.organization_id, a.id, c.day, c.requests, c.refusals
     from unnest($1::uuid[], $2::uuid[], $3::date[], $4::bigint[], $5::bigint[])
          as c(organization_id, application_id, day, requests, refusals)
     join applications a on a.organization_id = c.organization_id and a.id = c.application_id
    order by a.organization_id, a.id, c.day
       on conflict (organization_id, application_id, day)
       do update set requests = r.requests + excluded.requests, refusals = r.refusals + excluded.refusals`,
)

interface Count {
  readonly organizationId: string
  readonly applicationId: string
  /** In UTC, such as `2026-03-31`. */
  readonly day: string
  requests: number
  refusals: number
}

/** Counts the requests of applications until they are written: a request costs an addition in memory and no statement. */
export class RequestCounts {
  readonly #database: Database
  readonly #clock: Clock
  #counts = new Map<string, Count>()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Counts a request of an application; `isRefused` if the answer was an error. Beyond `bounds.countedApplications` applications it counts
   * nothing.
   */
  note(organizationId: string, applicationId: string, isRefused: boolean): void {
    const day = new Date(this.#clock.now()).toISOString().slice(0, 10)
    this.#add({ organizationId, applicationId, day, requests: 1, refusals: isRefused ? 1 : 0 })
  }

  /** Writes the counts in one statement. If it throws, the counts are kept. */
  async write(): Promise<void> {
    if (this.#counts.size === 0) return
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    const column = <Member extends keyof Count>(member: Member) => counts.map(count => count[member])
    const keys = [column('organizationId'), column('applicationId'), column('day')]
    try {
      await this.#database.query(addRequestCounts, [...keys, column('requests'), column('refusals')])
    } catch (error) {
      for (const count of counts) this.#add(count)
      throw error
    }
  }

  #add(count: Count): void {
    const key = `${count.applicationId} ${count.day}`
    const known = this.#counts.get(key)
    if (known !== undefined) {
      known.requests += count.requests
      known.refusals += count.refusals
    } else if (this.#counts.size < bounds.countedApplications.most) this.#counts.set(key, count)
  }
}
