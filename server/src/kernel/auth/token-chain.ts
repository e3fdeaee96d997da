/** A token as it is stored, without what recognises it. */
export interface StoredToken {
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /** Milliseconds; infinite where the token does not expire. */
  readonly expiresAt: number
  readonly isRevoked: boolean
}

/**
 * A token, the tokens that it was rotated into one after another, and the application that they all belong to. A token that was
 * removed is not among them.
 */
export interface TokenChain {
  readonly applicationId: string
  readonly isEnabled: boolean
  readonly tokens: readonly [StoredToken, ...StoredToken[]]
}

/** Whether the token itself is valid at a time in milliseconds, and has these scopes. */
export function tokenPermits(
  { isEnabled, tokens }: TokenChain,
  tokenId: string,
  scopes: readonly string[],
  now: number,
): boolean {
  return isEnabled && tokens.some(token => token.id === tokenId && permits(token, scopes, now))
}

/** Why no token of a chain permits any more what it began, and the scopes that are lacking. */
export interface ChainEnd {
  readonly reason: 'removed' | 'revoked' | 'expired' | 'application_disabled' | 'scopes'
  readonly missing: readonly string[]
}

/**
 * Why what needs these scopes may not go on at a time in milliseconds: null as long as a token of the chain is valid and has them,
 * and otherwise what is wrong with the last one. `chain` is null when all of its tokens were removed.
 */
export function whyChainEnded(chain: TokenChain | null, needed: readonly string[], now: number): ChainEnd | null {
  if (chain === null) return { reason: 'removed', missing: [] }
  if (!chain.isEnabled) return { reason: 'application_disabled', missing: [] }
  if (chain.tokens.some(token => permits(token, needed, now))) return null
  const last = chain.tokens.at(-1) ?? chain.tokens[0]
  if (last.isRevoked) return { reason: 'revoked', missing: [] }
  if (now >= last.expiresAt) return { reason: 'expired', missing: [] }
  return { reason: 'scopes', missing: needed.filter(scope => !last.scopes.has(scope)) }
}

function permits(token: StoredToken, needed: readonly string[], now: number): boolean {
  return !token.isRevoked && now < token.expiresAt && needed.every(scope => token.scopes.has(scope))
}
