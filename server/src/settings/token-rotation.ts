import { type Clock, systemClock } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { administer } from './administer.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { type IssuedToken, issueToken, type TokenAddress } from './tokens.ts'
import { uuidOf } from './values.ts'

const selectToken = statement(
  'select_token_to_rotate',
  `select t.application_id, t.name, t.scopes, t.cidrs, t.expires_at, t.revoked_at,
          (select next.id from api_tokens next
            where next.organization_id = $1 and next.application_id = t.application_id and next.rotated_from = t.id
            limit 1) as successor
     from api_tokens t
    where t.organization_id = $1 and t.id = $2`,
)

type TokenRow = {
  readonly application_id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly successor: string | null
}

const expireToken = statement(
  'expire_token',
  `update api_tokens t set expires_at = least(t.expires_at, $3::timestamptz)
    where t.organization_id = $1 and t.id = $2`,
)

const longestOverlap = 7 * 86_400_000

/**
 * Replaces a token by a new one with the same rights and expiry. The old one stays valid for `overlap` milliseconds,
 * seven days at most, none unless told, and never beyond its own expiry. Throws an `AdministrationError` for a token
 * that is unknown, no longer valid or already replaced.
 */
export async function rotateToken(
  database: Database,
  { organizationId, tokenId, overlap = 0 }: TokenAddress & { readonly overlap?: number | undefined },
  clock: Clock = systemClock,
): Promise<IssuedToken> {
  const organization = uuidOf('organization', organizationId)
  if (overlap < 0 || overlap > longestOverlap) throw new AdministrationError('an overlap is 7d at most')
  return administer(database, async transaction => {
    const [token] = await transaction.query<TokenRow>(selectToken, [organization, tokenId])
    if (token === undefined) throw noSuch('token', tokenId)
    refuseUnusable(token, clock.now())
    const facts = {
      organizationId: organization,
      applicationId: token.application_id,
      name: token.name,
      scopes: token.scopes,
      cidrs: token.cidrs,
      expiresAt: token.expires_at,
      rotatedFrom: tokenId,
    }
    const issued = await issueToken(transaction, facts, clock)
    await transaction.query(expireToken, [organization, tokenId, new Date(clock.now() + overlap).toISOString()])
    return issued
  })
}

function refuseUnusable({ successor, revoked_at, expires_at }: TokenRow, now: number): void {
  // Its expiry is that of the overlap now, which the next token must not inherit.
  if (successor !== null) throw new AdministrationError(`the token was rotated already: rotate ${successor}`)
  if (revoked_at !== null) throw new AdministrationError('the token is revoked: create a new one')
  if (expires_at !== null && Date.parse(expires_at) <= now) {
    throw new AdministrationError('the token has expired: create a new one')
  }
}
