import { bounds } from '../limits/index.ts'
import { type Reader, type Row, type Statement, statement } from '../sql/index.ts'
import type { StoredToken, TokenChain } from './token-chain.ts'

/**
 * Selects all tokens of the application of a token, because each names the one that it replaced. $1 organization, $2 id of the token,
 * which may have been removed since its rotation.
 */
const selectTokensBeside = statement(
  'select_tokens_beside',
  `select b.id, b.application_id, b.scopes, b.expires_at, b.revoked_at, b.rotated_from
     from api_tokens b
    where b.organization_id = $1
      and b.application_id in (
        select t.application_id from api_tokens t where t.organization_id = $1 and $2 in (t.id, t.rotated_from))`,
)

/** $1 organization, $2 id. A separate look-up, so that a cluster asks one node and not all of them. */
const selectWhetherEnabled = statement(
  'select_whether_application_is_enabled',
  'select a.enabled from applications a where a.organization_id = $1 and a.id = $2',
)

/** A place to read tokens from: the database, or a connection of it. */
interface TokenRows {
  query(asked: Statement, values: readonly unknown[], reader: Reader): Promise<Row[]>
}

/**
 * The tokens on whose behalf something outlives the request: a link that was shown, a job that was started. They are cached until the
 * installation's generation changes, so an administrative change takes effect within a second.
 */
export class TokenChains {
  readonly #database: TokenRows
  readonly #known = new Map<string, TokenChain>()
  /** How often the cache was cleared. A row that was read before the last time may be stale. */
  #forgotten = 0

  constructor(database: TokenRows) {
    this.#database = database
  }

  /** Returns the chain of this token of the organization, without removed tokens; null if none is left. */
  async find(tokenId: string, reader: Reader): Promise<TokenChain | null> {
    const known = this.#known.get(tokenId)
    if (known !== undefined) return known
    const forgotten = this.#forgotten
    const { organizationId } = reader
    const rows = await this.#database.query(selectTokensBeside, [organizationId, tokenId], reader)
    const [first, ...others] = chained(rows, tokenId)
    if (first === undefined) return null
    const applicationId = String(rows[0]?.application_id)
    const [application] = await this.#database.query(selectWhetherEnabled, [organizationId, applicationId], reader)
    if (application === undefined) return null
    const chain = {
      applicationId,
      isEnabled: application.enabled === true,
      tokens: [first, ...others],
    } as const
    if (forgotten === this.#forgotten) this.#remember(tokenId, chain)
    return chain
  }

  forget(): void {
    this.#known.clear()
    this.#forgotten += 1
  }

  #remember(tokenId: string, chain: TokenChain): void {
    if (this.#known.size >= bounds.knownTokenChains.most) this.#known.clear()
    this.#known.set(tokenId, chain)
  }
}

/** The token, unless it was removed, and its successors in order. A token is rotated once. */
function chained(rows: readonly Row[], tokenId: string): StoredToken[] {
  const successors = new Map(rows.map(row => [row.rotated_from, row]))
  const tokens: StoredToken[] = []
  let row = rows.find(({ id }) => id === tokenId) ?? successors.get(tokenId)
  while (row !== undefined) {
    tokens.push(toStoredToken(row))
    row = successors.get(row.id)
  }
  return tokens
}

function toStoredToken({ id, scopes, expires_at: expiresAt, revoked_at: revokedAt }: Row): StoredToken {
  return {
    id: String(id),
    scopes: new Set(Array.isArray(scopes) ? scopes.map(String) : []),
    expiresAt: typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY,
    isRevoked: revokedAt !== null,
  }
}
