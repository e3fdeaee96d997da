import { newTokenText as drawToken } from '../kernel/auth/index.ts'
import { Refusal } from '../kernel/index.ts'
import { violates } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { type FoundToken, foundToken, needToken } from './find-token.ts'
import { token } from './token.ts'
import { addToken, type IssuedToken, type TokenAddress, timeAfter } from './tokens.ts'

/** A token that replaces another one. */
export interface RotatedToken extends IssuedToken {
  readonly replaces: { readonly id: string /** Until when it is valid as well. */; readonly validUntil: string }
}

const longestOverlap = 7 * 86_400_000

/**
 * Replaces a token by a new one with the same rights and expiry. The old one stays valid for `overlap` milliseconds, zero by default and at
 * most seven days, but never beyond its own expiry. Throws an `AdministrationError` for a token that is unknown, no longer valid or already
 * replaced.
 */
export async function rotateToken(
  administration: Administration,
  { organizationId, tokenId, overlap = 0 }: TokenAddress & { readonly overlap?: number | undefined },
): Promise<RotatedToken> {
  if (overlap < 0 || overlap > longestOverlap) throw new AdministrationError('an overlap is 7d at most')
  const drawn = drawToken('live')
  return administer(administration, organizationId, {
    needs: needToken(tokenId),
    decide(draft) {
      const found = foundToken(draft, tokenId)
      if (found instanceof Refusal) return found
      const unusable = whyUnusable(found, Date.parse(draft.write.now))
      if (unusable !== null) return violates('', 'valid_token', unusable)
      const { record: old, application } = found
      const { name, scopes, cidrs, expiresAt } = old
      const issued = addToken(draft, application, drawn, { name, scopes, cidrs }, { expiresAt, rotatedFrom: tokenId })
      const end = timeAfter(draft, overlap)
      const isSooner = typeof expiresAt === 'string' && Date.parse(expiresAt) < Date.parse(end)
      const validUntil = isSooner ? expiresAt : end
      const ended = draft.alter(token, old, {}, { expiresAt: validUntil })
      if (ended instanceof Refusal) return ended
      return issued instanceof Refusal ? issued : { ...issued, replaces: { id: tokenId, validUntil } }
    },
  })
}

function whyUnusable({ record, successor }: FoundToken, now: number): string | null {
  const { revokedAt, expiresAt } = record
  // Its expiry is now the end of the overlap, which the next token must not inherit.
  if (successor !== null) return `the token was rotated already: rotate ${successor}`
  if (revokedAt !== null) return 'the token is revoked: create a new one'
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now) return 'the token has expired: create a new one'
  return null
}
