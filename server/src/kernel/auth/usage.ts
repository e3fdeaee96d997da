import type { Clock } from '../clock.ts'
import { bounds } from '../limits/bounds.ts'
import { type Database, statement } from '../sql/index.ts'
import { normaliseAddress } from './address.ts'
import type { RefusalReason } from './refused-token.ts'

const markTokensUsed = statement(
  'mark_tokens_used',
  `update api_tokens t
      set last_used_at = used.at, last_used_ip = used.ip
     from unnest($1::text[], $2::timestamptz[], $3::text[]) as used(id, at, ip)
    where t.id = used.id and (t.last_used_at is null or t.last_used_at <= used.at)`,
)

const markTokensRefused = statement(
  'mark_tokens_refused',
  `update api_tokens t
      set last_refused_at = refused.at, last_refused_ip = refused.ip, last_refused_reason = refused.reason
     from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[]) as refused(id, at, ip, reason)
    where t.id = refused.id and (t.last_refused_at is null or t.last_refused_at <= refused.at)`,
)

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

interface Mark {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly ip: string
}

/** Records when and from where tokens were used and refused, until it is written to their rows. */
export class TokenMarks {
  readonly #database: Database
  readonly #clock: Clock
  readonly #used = new Map<string, Mark>()
  readonly #refused = new Map<string, Mark & { readonly reason: RefusalReason }>()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  noteUse(tokenId: string, ip: string): void {
    this.#note(this.#used, tokenId, { at: this.#clock.now(), ip })
  }

  noteRefusal(tokenId: string, reason: RefusalReason, ip: string): void {
    this.#note(this.#refused, tokenId, { at: this.#clock.now(), ip, reason })
  }

  /** Writes the times of last use. A later time from another node is kept. If it throws, nothing is lost. */
  writeUses(): Promise<void> {
    return this.#write(this.#used, marks => this.#database.query(markTokensUsed, columnsOf(marks)))
  }

  /** The same for refusals. */
  writeRefusals(): Promise<void> {
    return this.#write(this.#refused, marks => {
      const reasons = marks.map(([, { reason }]) => reason)
      return this.#database.query(markTokensRefused, [...columnsOf(marks), reasons])
    })
  }

  async #write<Each extends Mark>(
    marks: Map<string, Each>,
    write: (taken: readonly (readonly [string, Each])[]) => Promise<unknown>,
  ): Promise<void> {
    if (marks.size === 0) return
    // Rows are written in one fixed order, so that two nodes that write at once do not deadlock.
    const taken = [...marks].sort(([one], [other]) => (one < other ? -1 : 1))
    marks.clear()
    try {
      await write(taken)
    } catch (error) {
      for (const [tokenId, mark] of taken) if (!marks.has(tokenId)) this.#note(marks, tokenId, mark)
      throw error
    }
  }

  #note<Each extends Mark>(marks: Map<string, Each>, tokenId: string, mark: Each): void {
    if (marks.size < bounds.notedTokens.most || marks.has(tokenId)) marks.set(tokenId, mark)
  }
}

function columnsOf(marks: readonly (readonly [string, Mark])[]): string[][] {
  return [
    marks.map(([id]) => id),
    marks.map(([, { at }]) => new Date(at).toISOString()),
    marks.map(([, { ip }]) => normaliseAddress(ip)),
  ]
}

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
