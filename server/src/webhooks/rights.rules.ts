/** A token of the application of a webhook. */
export interface WebhookToken {
  readonly id: string
  readonly scopes: readonly string[]
  /** Milliseconds since the epoch; null if it does not expire. */
  readonly expiresAt: number | null
  readonly isRevoked: boolean
  readonly rotatedFrom: string | null
  /** Whether it is good for some networks only. */
  readonly hasNetworks: boolean
}

/** On whose behalf a webhook is delivered. */
export interface Principal {
  readonly isApplicationEnabled: boolean
  readonly crmProvider: string
  /** All tokens of the application. */
  readonly tokens: readonly WebhookToken[]
  /** The token that the webhook names; null: the only one of the application. */
  readonly tokenId: string | null
  /** The scopes that the webhook is limited to; none: all of the token. */
  readonly scopes: readonly string[]
  readonly despiteNetworks: boolean
}

/** The scopes that count, or why nothing may be delivered. */
export type Rights = { readonly scopes: ReadonlySet<string> } | { readonly reason: string }

/**
 * What a webhook may show at a time: the scopes of one token that is valid now, as far as the webhook has them too. It is the token that the
 * webhook names, or its successor by rotation, or the only valid one of the application. Never the scopes of several tokens together: what
 * no single token may read leaves in no body.
 */
export function rightsOf(principal: Principal, now: number): Rights {
  const { isApplicationEnabled, crmProvider, tokens, tokenId, scopes, despiteNetworks } = principal
  if (!isApplicationEnabled) return { reason: 'application_disabled' }
  if (crmProvider !== 'built_in') return { reason: 'crm_provider' }
  const candidates = tokenId === null ? tokens : chainOf(tokenId, tokens)
  const isValid = (token: WebhookToken) => !token.isRevoked && (token.expiresAt === null || now < token.expiresAt)
  const [token, ...others] = candidates.filter(isValid)
  if (token === undefined) return { reason: whyNone(candidates) }
  // While a token and its successor are both valid, they stand for one.
  const isSuccessor = (other: WebhookToken) => chainOf(token.id, tokens).includes(other)
  if (tokenId === null && !others.every(isSuccessor)) return { reason: 'several_tokens' }
  if (token.hasNetworks && !despiteNetworks) return { reason: 'token_networks' }
  const granted = scopes.length === 0 ? token.scopes : token.scopes.filter(scope => scopes.includes(scope))
  return { scopes: new Set(granted) }
}

/** A token, unless it was removed, and its successors in order. A token is rotated once. */
function chainOf(tokenId: string, tokens: readonly WebhookToken[]): WebhookToken[] {
  const chain: WebhookToken[] = []
  const successorOf = (id: string) => tokens.find(({ rotatedFrom }) => rotatedFrom === id)
  let token = tokens.find(({ id }) => id === tokenId) ?? successorOf(tokenId)
  while (token !== undefined && !chain.includes(token)) {
    chain.push(token)
    token = successorOf(token.id)
  }
  return chain
}

function whyNone(candidates: readonly WebhookToken[]): string {
  const last = candidates.at(-1)
  if (last === undefined) return 'token_removed'
  return last.isRevoked ? 'token_revoked' : 'token_expired'
}
