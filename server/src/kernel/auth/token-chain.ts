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

function permits(token: StoredToken, needed: readonly string[], now: number): boolean {
  return !token.isRevoked && now < token.expiresAt && needed.every(scope => token.scopes.has(scope))
}
