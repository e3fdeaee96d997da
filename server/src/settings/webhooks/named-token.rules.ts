/** A token as it is stored: its `tokenId`, `cidrs`, `expiresAt`, `revokedAt` and `rotatedFrom`. */
type Token = Readonly<Record<string, unknown>>

interface Asked {
  /** The token whose rights a subscription has; null for the only one of its application. */
  readonly tokenId: string | null
  /** Whether a token counts that is accepted from some networks only. */
  readonly despiteNetworks: boolean
}

/** Why a subscription cannot stand for a token of its application at a time; null if it can. */
export function whyNoToken(tokens: readonly Token[], { tokenId, despiteNetworks }: Asked, now: string): string | null {
  const valid = tokens.filter(token => isValid(token, now))
  const token = tokenId === null ? only(valid) : valid.find(each => each.tokenId === tokenId)
  if (typeof token === 'string') return token
  if (token === undefined) {
    const isKnown = tokens.some(each => each.tokenId === tokenId)
    return isKnown ? `the token ${tokenId} is not valid` : `the application has no token ${tokenId}`
  }
  const { tokenId: id, cidrs } = token
  if (despiteNetworks || !Array.isArray(cidrs) || cidrs.length === 0) return null
  return `the token ${String(id)} is accepted from some networks only: say that it counts despite its networks, or name another one`
}

/** The only token; those that were replaced do not count, since their successors have the same rights. */
function only(valid: readonly Token[]): Token | string {
  const current = valid.filter(({ tokenId }) => valid.every(({ rotatedFrom }) => rotatedFrom !== tokenId))
  const [token, another] = current
  if (token === undefined) return 'the application has no valid token: create one first'
  if (another === undefined) return token
  return `the application has several valid tokens, name one: ${current.map(({ tokenId }) => String(tokenId)).join(', ')}`
}

function isValid({ revokedAt, expiresAt }: Token, now: string): boolean {
  return revokedAt === null && !(typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.parse(now))
}
