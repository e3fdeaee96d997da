/** A stored token, without the hash that recognises it. */
export interface StoredToken {
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch; infinite if the token does not expire. */
  readonly expiresAt: number
  readonly isRevoked: boolean
}

/** A token, its successors by rotation in order, and the application they all belong to. Removed tokens are not included. */
export interface TokenChain {
  readonly applicationId: string
  readonly isEnabled: boolean
  readonly tokens: readonly [StoredToken, ...StoredToken[]]
}

/** Whether the token itself is valid at a time (in milliseconds) and has these scopes. */
export function tokenPermits(
  { isEnabled, tokens }: TokenChain,
  tokenId: string,
  scopes: readonly string[],
  now: number,
): boolean {
  return isEnabled && tokens.some(token => token.id === tokenId && permits(token, scopes, now))
}

/** Why no token of a chain permits any longer what it started, and the missing scopes. */
export interface ChainEnd {
  readonly reason: 'removed' | 'revoked' | 'expired' | 'application_disabled' | 'scopes'
  readonly missing: readonly string[]
}

/**
 * Returns why work that needs these scopes may not continue at a time (in milliseconds). The answer is null while any token of the chain
 * is valid and has the scopes, and otherwise describes the last token. `chain` is null if all of its tokens were removed.
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
