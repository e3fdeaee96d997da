import { hash } from 'node:crypto'
import type { FairSemaphore } from '../admission/index.ts'
import { SingleFlight } from '../admission/single-flight.ts'
import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { type Database, type Row, statement } from '../sql/index.ts'
import { addressBucket } from './address.ts'
import { callerOrganization } from './caller-organization.ts'
import { type Member, memberRoles, type SignedIn, sessionTimes } from './session.ts'

const findSession = statement(
  'find_session',
  `select s.id, s.created_at, s.seen_at, s.fresh_at, s.expires_at,
          u.id as user_id, u.email, u.name, u.locale, u.proven, u.totp_secret is not null as has_second_factor
     from sessions s
     join users u on u.id = s.user_id
    where s.secret_hash = $1 and u.active`,
)

const findMember = statement(
  'find_member',
  `select m.id as operator_id, m.role, a.id as application_id, m.organization_id, o.name as organization_name, o.time_zone,
          o.default_currency, o.currencies, o.locale, o.country, o.crm_provider, o.members_see_contact_data,
          o.members_see_amounts, o.managers_manage_integrations, o.second_factor_required
     from memberships m
     join organizations o on o.id = m.organization_id
     join applications a on a.organization_id = m.organization_id and a.kind = 'cabinet'
    where m.organization_id = $1 and m.user_id = $2`,
)

const markSessionsSeen = statement(
  'mark_sessions_seen',
  `update sessions s
      set seen_at = seen.at
     from unnest($1::uuid[], $2::timestamptz[]) as seen(id, at)
    where s.id = seen.id and s.seen_at < seen.at`,
)

interface KnownSession {
  readonly signedIn: SignedIn
  seenAt: number
}

const secretForm = /^[\w-]{43}$/u

/**
 * Sessions of users, and what users are in organizations. Both are cached until the generation of people changes, so a change on any node
 * takes effect here within a second. Failures are never cached.
 */
export class Sessions {
  readonly #database: Database
  readonly #clock: Clock
  readonly #lookups: FairSemaphore
  /** By the hash of the secret. */
  readonly #known = new Map<string, KnownSession>()
  readonly #members = new Map<string, Member>()
  readonly #sought = new SingleFlight<KnownSession | null>()
  readonly #soughtMembers = new SingleFlight<Member | null>()
  /** When sessions were last used, until it is written. */
  readonly #seen = new Map<string, number>()
  /** How often the cache was cleared. A row that was read before the last time may be stale. */
  #forgotten = 0

  /** `lookups` bounds the look-ups of texts that may not be secrets, by address. */
  constructor(database: Database, clock: Clock, lookups: FairSemaphore) {
    this.#database = database
    this.#clock = clock
    this.#lookups = lookups
  }

  /**
   * Returns the user whose session has this secret, and notes that it is used, unless `isUse` is false: a request that waits is looked at
   * again and again, a page follows the changes by itself, and nobody does anything meanwhile. Null if there is no such session, it was not used for twelve hours, it is older than 14
   * days, or the user is not active.
   */
  async find(secret: string, address: string, isUse = true): Promise<SignedIn | null> {
    if (!secretForm.test(secret)) return null
    const digest = hash('sha256', secret, 'base64')
    const known = this.#known.get(digest)
    // Another process may have seen the session since.
    if (known !== undefined && this.#isAlive(known)) return isUse ? this.#noteUse(known) : known.signedIn
    const forgotten = this.#forgotten
    const found = await this.#sought.read(digest, () =>
      this.#lookups.pass(addressBucket(address), () => this.#read(hash('sha256', secret, 'buffer'))),
    )
    if (found === null || !this.#isAlive(found)) return null
    if (forgotten === this.#forgotten) remember(this.#known, digest, found, bounds.knownSessions.most)
    return isUse ? this.#noteUse(found) : found.signedIn
  }

  /** Returns what a user is in an organization; null if the user is no member of it, or there is no such organization. */
  async member({ user }: SignedIn, organizationId: string): Promise<Member | null> {
    const key = `${user.id} ${organizationId}`
    const known = this.#members.get(key)
    if (known !== undefined) return known
    const forgotten = this.#forgotten
    const found = await this.#soughtMembers.read(key, () =>
      this.#lookups.pass(user.id, async () => {
        const [row] = await this.#database.query(findMember, [organizationId, user.id])
        return row === undefined ? null : toMember(row)
      }),
    )
    if (found !== null && forgotten === this.#forgotten) remember(this.#members, key, found, bounds.knownMembers.most)
    return found
  }

  /** Forgets all sessions and members, because one of them has changed. */
  forget(): void {
    this.#known.clear()
    this.#members.clear()
    this.#sought.forget()
    this.#soughtMembers.forget()
    this.#forgotten += 1
  }

  /** Writes when sessions were last used. If it throws, the times are lost, and each session may end a minute early. */
  async writeSeen(): Promise<void> {
    if (this.#seen.size === 0) return
    // Rows are written in one fixed order, so that two nodes that write at once do not deadlock.
    const seen = [...this.#seen].sort(([one], [other]) => (one < other ? -1 : 1))
    this.#seen.clear()
    const times = seen.map(([, at]) => new Date(at).toISOString())
    await this.#database.query(markSessionsSeen, [seen.map(([id]) => id), times])
  }

  async #read(secretHash: Buffer): Promise<KnownSession | null> {
    const [row] = await this.#database.query(findSession, [secretHash])
    if (row === undefined) return null
    const known = toKnownSession(row)
    known.seenAt = Math.max(known.seenAt, this.#seen.get(known.signedIn.session.id) ?? 0)
    return known
  }

  #isAlive({ signedIn: { session }, seenAt }: KnownSession): boolean {
    const now = this.#clock.now()
    return now < session.expiresAt && now < seenAt + sessionTimes.idle
  }

  #noteUse(known: KnownSession): SignedIn {
    const { id } = known.signedIn.session
    known.seenAt = Math.max(known.seenAt, this.#clock.now())
    if (this.#seen.size < bounds.knownSessions.most || this.#seen.has(id)) this.#seen.set(id, known.seenAt)
    return known.signedIn
  }
}

function remember<Value>(known: Map<string, Value>, key: string, value: Value, most: number): void {
  if (known.size >= most) known.clear()
  known.set(key, value)
}

function toKnownSession(row: Row): KnownSession {
  const time = (name: string) => Date.parse(String(row[name]))
  return {
    signedIn: {
      session: {
        id: String(row.id),
        createdAt: time('created_at'),
        freshAt: time('fresh_at'),
        expiresAt: time('expires_at'),
      },
      user: {
        id: String(row.user_id),
        email: String(row.email),
        name: String(row.name),
        locale: String(row.locale),
        hasSecondFactor: row.has_second_factor === true,
        isProven: row.proven === true,
      },
    },
    seenAt: time('seen_at'),
  }
}

function toMember(row: Row): Member {
  return {
    operatorId: String(row.operator_id),
    // The column allows no other. Any other text would have the fewest rights.
    role: memberRoles.find(role => role === row.role) ?? 'read_only',
    switches: {
      membersSeeContactData: row.members_see_contact_data === true,
      membersSeeAmounts: row.members_see_amounts === true,
      managersManageIntegrations: row.managers_manage_integrations === true,
    },
    secondFactorRequired: row.second_factor_required === true,
    organization: callerOrganization(row),
    applicationId: String(row.application_id),
  }
}
