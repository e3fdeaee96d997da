import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { type Database, statement } from '../sql/index.ts'
import { AddressList } from './address.ts'
import type { RefusalReason } from './refused-token.ts'
import { hashSecret, parseToken } from './token-text.ts'

const findToken = statement(
  'find_metrics_token',
  'select t.secret_hash, t.cidrs, t.expires_at from metrics_tokens t where t.id = $1',
)

interface KnownToken {
  readonly addresses: AddressList
  readonly expiresAt: number
}

const noSecret = Buffer.alloc(32)

/**
 * Tokens for `/metrics`, which the operator makes. Each token is looked up on every use, so that revoking it takes effect at once. While
 * the database is unavailable, tokens that were valid before stay valid, because metrics are needed most then.
 */
export class MetricsTokens {
  readonly #database: Database
  readonly #clock: Clock
  /** The last valid look-ups, by the hash of the token's text. */
  readonly #known = new Map<string, KnownToken>()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Returns why a text is refused from this address, or null for a valid token. Throws if the look-up is needed and the database does not
   * answer.
   */
  async whyRefused(text: string, address: string): Promise<RefusalReason | null> {
    const parsed = parseToken(text)
    if (parsed?.environment !== 'metrics') return 'unknown'
    const digest = hash('sha256', text, 'base64')
    const known = await this.#find(parsed.tokenId, parsed.secret).catch((error: unknown) => {
      const remembered = this.#known.get(digest)
      if (remembered === undefined) throw error
      return remembered
    })
    this.#known.delete(digest)
    if (known === null) return 'unknown'
    if (this.#known.size >= bounds.metricsTokens.most) this.#known.clear()
    this.#known.set(digest, known)
    if (this.#clock.now() >= known.expiresAt) return 'expired'
    return known.addresses.isEmpty || known.addresses.has(address) ? null : 'network'
  }

  async #find(id: string, secret: string): Promise<KnownToken | null> {
    const [row] = await this.#database.query(findToken, [id])
    const stored = Buffer.isBuffer(row?.secret_hash) ? row.secret_hash : noSecret
    if (!timingSafeEqual(stored, hashSecret(secret)) || row === undefined) return null
    const cidrs = Array.isArray(row.cidrs) ? row.cidrs.map(String) : []
    const expiresAt = typeof row.expires_at === 'string' ? Date.parse(row.expires_at) : Number.POSITIVE_INFINITY
    return { addresses: new AddressList(cidrs), expiresAt }
  }
}
