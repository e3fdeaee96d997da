import { hash, timingSafeEqual } from 'node:crypto'
import { FairSemaphore } from '../admission/index.ts'
import { SingleFlight } from '../admission/single-flight.ts'
import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { type Database, type Row, statement } from '../sql/index.ts'
import { AddressList, addressBucket } from './address.ts'
import { byApplication } from './author.ts'
import type { TokenCaller } from './caller.ts'
import { callerOrganization } from './caller-organization.ts'
import { MetricsTokens } from './metrics-tokens.ts'
import { type RefusalReason, RefusalReporter, type RefusedToken } from './refused-token.ts'
import { Sessions } from './sessions.ts'
import { TokenChains } from './token-chains.ts'
import { hashSecret, type ParsedToken, parseToken } from './token-text.ts'
import { RequestCounts, TokenMarks } from './usage.ts'

const findToken = statement(
  'find_token',
  `select t.id, t.organization_id, t.application_id, t.secret_hash, t.scopes, t.cidrs, t.expires_at, t.revoked_at
     from api_tokens t
    where t.id = $1`,
)

// A separate look-up: once the organization is known, a cluster asks a single node and not all of them.
const findApplication = statement(
  'find_application_of_token',
  `select a.name as application_name, a.rate_read, a.rate_write, a.enabled,
          o.name as organization_name, o.time_zone, o.default_currency, o.currencies, o.locale, o.country, o.crm_provider,
          o.sandbox
     from organizations o
     join applications a on a.organization_id = o.id and a.id = $2
    where o.id = $1`,
)

const selectGeneration = statement('select_generation', 'select generation, people_generation from installation')

/** Listeners for events of tokens. */
interface AuthenticationListeners {
  /** Called for each refused token, for the log. */
  readonly onRefused?: ((refused: RefusedToken) => void) | undefined
  /** Called when the generation has changed: an administrator has changed something. */
  readonly whenAdministered?: () => void
}

interface KnownToken {
  readonly caller: TokenCaller
  readonly expiresAt: number
  readonly addresses: AddressList
}

const noSecret = Buffer.alloc(32)
const pollMilliseconds = 400
const pollsPerMinute = 60_000 / pollMilliseconds
/** Request counts stay in memory for about five seconds before they are written. */
const pollsPerCounts = 12

/**
 * Gate 2. A valid token is cached under the hash of its text until the installation's generation changes, so an administrative change on
 * any node takes effect here within a second. Failures are never cached, so every failing token costs the same look-up.
 */
export class Authentication {
  /** The tokens of links and jobs, cached for as long. */
  readonly chains: TokenChains
  /** The requests of applications, counted until they are written. */
  readonly requests: RequestCounts
  /** The sessions of users, cached until their own generation changes: each sign-out would empty the cache of tokens. */
  readonly sessions: Sessions
  readonly #database: Database
  readonly #clock: Clock
  readonly #whenAdministered: AuthenticationListeners['whenAdministered']
  readonly #known = new Map<string, KnownToken>()
  readonly #metricsTokens: MetricsTokens
  readonly #marks: TokenMarks
  readonly #refusals: RefusalReporter
  /** Bounds the look-ups of texts that may not be tokens. Without it a stranger could make the requests of everybody wait. */
  readonly #lookups = new FairSemaphore({
    name: 'place',
    places: bounds.processLookups.most,
    perKey: bounds.addressLookups.most,
    waiting: bounds.addressWaiting.most,
    milliseconds: bounds.place.most,
  })
  /** Look-ups under way, by the hash of the token's text, including tokens that fail. */
  readonly #sought = new SingleFlight<Row | null>()
  #generation = ''
  #peopleGeneration = ''
  #timer: NodeJS.Timeout | undefined
  #polls = 0

  constructor(database: Database, clock: Clock, { onRefused, whenAdministered }: AuthenticationListeners = {}) {
    this.#database = database
    this.chains = new TokenChains(database)
    this.#clock = clock
    this.#metricsTokens = new MetricsTokens(database, clock)
    this.#marks = new TokenMarks(database, clock)
    this.requests = new RequestCounts(database, clock)
    this.sessions = new Sessions(database, clock, this.#lookups)
    this.#refusals = new RefusalReporter(clock, onRefused ?? (() => {}))
    this.#whenAdministered = whenAdministered
  }

  /** Returns the caller that the token authenticates, or null. `address` is the address of the client. */
  async authenticate(text: string | null, address: string): Promise<TokenCaller | null> {
    if (text === null) return null
    const digest = hash('sha256', text, 'base64')
    const known = this.#known.get(digest)
    if (known !== undefined && this.#whyRefused(known, address) === null) return this.#noteUse(known.caller, address)
    const parsed = parseToken(text)
    if (parsed === null) return this.#refuse({ reason: 'unknown', address })
    const generation = this.#generation
    // Many requests with one token arrive at once after a server has started and after settings have changed.
    const row = await this.#sought.read(digest, () =>
      this.#lookups.pass(addressBucket(address), () => this.#find(parsed)),
    )
    // The text of a sandbox token contains the environment `test`, that of any other token `live`. A text with the wrong word is not a
    // valid token.
    const environment = row?.sandbox === true ? 'test' : 'live'
    if (row === null || parsed.environment !== environment) return this.#refuse({ reason: 'unknown', address })
    const found = toKnownToken(row)
    const reason = whyEnded(row) ?? this.#whyRefused(found, address)
    if (reason !== null) return this.#refuse(refusalOf(found.caller, reason, address))
    // If the generation has changed meanwhile, the row may be stale and is not cached.
    if (generation === this.#generation) this.#remember(digest, found)
    return this.#noteUse(found.caller, address)
  }

  /** Whether a text is a token for `/metrics` that is valid for a client with this address. */
  async mayReadMetrics(text: string | null, address: string): Promise<boolean> {
    if (text === null) return false
    const look = () => this.#metricsTokens.whyRefused(text, address)
    const reason = await this.#lookups.pass(addressBucket(address), look)
    if (reason !== null) this.#refuse({ reason, address })
    return reason === null
  }

  /** The stored token and its application; null if the token does not exist or its secret differs. */
  async #find({ tokenId, secret }: ParsedToken): Promise<Row | null> {
    const [token] = await this.#database.query(findToken, [tokenId])
    const stored = Buffer.isBuffer(token?.secret_hash) ? token.secret_hash : noSecret
    if (!timingSafeEqual(stored, hashSecret(secret)) || token === undefined) return null
    const [application] = await this.#database.query(findApplication, [token.organization_id, token.application_id])
    return application === undefined ? null : { ...token, ...application }
  }

  /** Starts to watch for administrative changes. */
  start(): void {
    const tick = async () => {
      await this.#poll().catch(() => {})
      if (this.#timer !== undefined) this.#timer = setTimeout(tick, pollMilliseconds).unref()
    }
    this.#timer = setTimeout(tick, pollMilliseconds).unref()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await Promise.allSettled([
      this.#marks.writeUses(),
      this.#marks.writeRefusals(),
      this.requests.write(),
      this.sessions.writeSeen(),
    ])
  }

  #remember(digest: string, token: KnownToken): void {
    if (this.#known.size >= bounds.knownTokens.most) this.#known.clear()
    this.#known.set(digest, token)
  }

  #whyRefused(token: KnownToken, address: string): RefusalReason | null {
    if (this.#clock.now() >= token.expiresAt) return 'expired'
    return token.addresses.isEmpty || token.addresses.has(address) ? null : 'network'
  }

  #noteUse(caller: TokenCaller, ip: string): TokenCaller {
    this.#marks.noteUse(caller.credential.token.id, ip)
    return caller
  }

  #refuse(refused: RefusedToken): null {
    const { tokenId, organizationId, applicationId, reason, address } = refused
    if (tokenId !== undefined) this.#marks.noteRefusal(tokenId, reason, address)
    if (organizationId !== undefined && applicationId !== undefined)
      this.requests.note(organizationId, applicationId, true)
    this.#refusals.tell(refused)
    return null
  }

  #forget(): void {
    this.#known.clear()
    this.#sought.forget()
    this.chains.forget()
  }

  async #poll(): Promise<void> {
    try {
      const [row] = await this.#database.query(selectGeneration, [])
      const generation = String(row?.generation)
      if (generation !== this.#generation) {
        this.#forget()
        this.#whenAdministered?.()
      }
      this.#generation = generation
      const peopleGeneration = String(row?.people_generation)
      if (peopleGeneration !== this.#peopleGeneration) this.sessions.forget()
      this.#peopleGeneration = peopleGeneration
    } catch (error) {
      this.#forget()
      this.sessions.forget()
      throw error
    }
    this.#polls += 1
    // The time of last use is accurate to a minute: it is written once a minute, not with each request.
    if (this.#polls % pollsPerMinute === 0) await Promise.all([this.#marks.writeUses(), this.sessions.writeSeen()])
    // Refusals are rare, and an operator who looks for one wants to see it at once, so they are written with each poll.
    await this.#marks.writeRefusals()
    if (this.#polls % pollsPerCounts === 0) await this.requests.write()
  }
}

function whyEnded(row: Row): RefusalReason | null {
  if (row.revoked_at !== null) return 'revoked'
  return row.enabled === true ? null : 'application_disabled'
}

function refusalOf({ credential, organization }: TokenCaller, reason: RefusalReason, address: string): RefusedToken {
  const { application, token } = credential
  return { reason, address, tokenId: token.id, applicationId: application.id, organizationId: organization.id }
}

function toKnownToken(row: Row): KnownToken {
  const text = (name: string) => String(row[name])
  const texts = (name: string) => (Array.isArray(row[name]) ? row[name].map(String) : [])
  const expiresAt = typeof row.expires_at === 'string' ? row.expires_at : null
  const scopes = texts('scopes')
  const applicationId = text('application_id')
  const cidrs = texts('cidrs')
  return {
    caller: {
      entry: 'api',
      organization: callerOrganization(row),
      scopes: new Set(scopes),
      author: byApplication,
      keysOf: applicationId,
      rate: { owner: applicationId, read: Number(row.rate_read), write: Number(row.rate_write) },
      idempotency: { applicationId, prefix: '' },
      credential: {
        application: { id: applicationId, name: text('application_name') },
        token: { id: text('id'), expiresAt, scopes, cidrs },
      },
    },
    expiresAt: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    addresses: new AddressList(cidrs),
  }
}
