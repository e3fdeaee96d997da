import { createHash, timingSafeEqual } from 'node:crypto'
import { Turnstile } from '../admission/index.ts'
import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { type Database, type Row, statement } from '../sql/index.ts'
import { AddressList, addressBucket, normaliseAddress } from './address.ts'
import type { Caller } from './caller.ts'
import { hashSecret, parseToken } from './token-text.ts'

const findToken = statement(
  'find_token',
  `select t.id, t.secret_hash, t.scopes, t.cidrs, t.expires_at, t.revoked_at,
          a.id as application_id, a.name as application_name, a.rate_read, a.rate_write, a.enabled,
          o.id as organization_id, o.name as organization_name, o.time_zone, o.default_currency, o.currencies,
          o.locale, o.country, o.crm_provider, o.sandbox
     from api_tokens t
     join applications a on a.organization_id = t.organization_id and a.id = t.application_id
     join organizations o on o.id = t.organization_id
    where t.id = $1`,
)

const selectGeneration = statement('select_generation', 'select generation from installation')

const markTokensUsed = statement(
  'mark_tokens_used',
  `update api_tokens t
      set last_used_at = used.at, last_used_ip = used.ip
     from unnest($1::text[], $2::timestamptz[], $3::text[]) as used(id, at, ip)
    where t.id = used.id`,
)

interface KnownToken {
  readonly caller: Caller
  readonly expiresAt: number
  readonly addresses: AddressList
}

const noSecret = Buffer.alloc(32)
const pollMilliseconds = 400
const mostKnown = 10_000

/**
 * Gate 2. A token that was valid once is remembered by the hash of its text, until the installation's generation
 * changes; so an administrative change on any node takes effect here within a second. A failing token is never answered
 * from memory, so that all failures cost the same look-up.
 */
export class Authentication {
  readonly #database: Database
  readonly #clock: Clock
  readonly #known = new Map<string, KnownToken>()
  readonly #used = new Map<string, { at: string; ip: string }>()
  /** Bounds look-ups for texts that may be no tokens. Without it a stranger could keep everybody's requests waiting. */
  readonly #lookups = new Turnstile({
    name: 'place',
    places: bounds.processLookups.most,
    perName: bounds.addressLookups.most,
    waiting: bounds.addressWaiting.most,
    milliseconds: bounds.place.most,
  })
  #generation = ''
  #timer: NodeJS.Timeout | undefined
  #polls = 0

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** The caller that the token stands for, or null. `address` is the client's. */
  async authenticate(text: string | null, address: string): Promise<Caller | null> {
    if (text === null) return null
    const digest = createHash('sha256').update(text).digest('base64')
    const known = this.#known.get(digest)
    if (known !== undefined && this.#admits(known, address)) return this.#noteUse(known.caller, address)
    const parsed = parseToken(text)
    if (parsed === null) return null
    const generation = this.#generation
    const find = () => this.#database.query(findToken, [parsed.tokenId])
    const rows = await this.#lookups.pass(addressBucket(address), find)
    const row = rows[0]
    const stored = row !== undefined && Buffer.isBuffer(row.secret_hash) ? row.secret_hash : noSecret
    const matches = timingSafeEqual(stored, hashSecret(parsed.secret))
    // A token of a sandbox has the environment `test` in its text, any other token `live`. With the other word the text
    // is not this token.
    const environment = row?.sandbox === true ? 'test' : 'live'
    if (
      row === undefined ||
      !matches ||
      parsed.environment !== environment ||
      row.revoked_at !== null ||
      row.enabled !== true
    )
      return null
    const found = toKnownToken(row)
    if (!this.#admits(found, address)) return null
    // If the generation changed meanwhile, the row may be stale, so it is not remembered.
    if (generation === this.#generation) this.#remember(digest, found)
    return this.#noteUse(found.caller, address)
  }

  /** Begins to watch for administrative changes. */
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
    await this.#writeUses().catch(() => {})
  }

  #remember(digest: string, token: KnownToken): void {
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(digest, token)
  }

  #admits(token: KnownToken, address: string): boolean {
    return this.#clock.now() < token.expiresAt && (token.addresses.isEmpty || token.addresses.has(address))
  }

  #noteUse(caller: Caller, ip: string): Caller {
    this.#used.set(caller.token.id, { at: new Date(this.#clock.now()).toISOString(), ip })
    return caller
  }

  async #poll(): Promise<void> {
    try {
      const [row] = await this.#database.query(selectGeneration, [])
      const generation = String(row?.generation)
      if (generation !== this.#generation) this.#known.clear()
      this.#generation = generation
    } catch (error) {
      this.#known.clear()
      throw error
    }
    this.#polls += 1
    // The time of last use is accurate to a minute: it is written now and then, not with each request.
    if (this.#polls % 50 === 0) await this.#writeUses()
  }

  async #writeUses(): Promise<void> {
    if (this.#used.size === 0) return
    const used = [...this.#used]
    this.#used.clear()
    const columns = [
      used.map(([id]) => id),
      used.map(([, use]) => use.at),
      used.map(([, use]) => normaliseAddress(use.ip)),
    ]
    await this.#database.query(markTokensUsed, columns)
  }
}

function toKnownToken(row: Row): KnownToken {
  const text = (name: string) => String(row[name])
  const texts = (name: string) => (Array.isArray(row[name]) ? row[name].map(String) : [])
  const expiresAt = typeof row.expires_at === 'string' ? row.expires_at : null
  const scopes = texts('scopes')
  const cidrs = texts('cidrs')
  return {
    caller: {
      organization: {
        id: text('organization_id'),
        name: text('organization_name'),
        timeZone: text('time_zone'),
        defaultCurrency: text('default_currency'),
        currencies: texts('currencies'),
        locale: text('locale'),
        country: text('country'),
        crmProvider: text('crm_provider'),
      },
      application: {
        id: text('application_id'),
        name: text('application_name'),
        rateRead: Number(row.rate_read),
        rateWrite: Number(row.rate_write),
      },
      token: { id: text('id'), expiresAt, scopes, cidrs },
      scopes: new Set(scopes),
    },
    expiresAt: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    addresses: new AddressList(cidrs),
  }
}
