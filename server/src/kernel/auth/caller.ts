import { type Refusal, refuse } from '../errors/index.ts'
import type { OrganizationSettings } from '../schema/index.ts'
import type { Author } from './author.ts'

/** An authenticated caller, whatever the entrypoint (specification, "Authentication"). */
export interface Caller {
  readonly organization: OrganizationSettings
  readonly scopes: ReadonlySet<string>
  /** The author of its changes. */
  readonly author: Author
  /** The application whose external keys it uses, and whose jobs and exports it sees. */
  readonly keysOf: string
  /** The rate limit that its requests count against. */
  readonly rate: Rate
  /** The application whose idempotency keys it uses. */
  readonly idempotencyOwner: string
  /** The credential that authenticated it. Audit entries and `/capabilities` read it; links and jobs end when it does. */
  readonly credential: TokenCredential
}

/** The owner of a rate limit, and how many requests of each kind it may send in a minute. */
interface Rate {
  readonly owner: string
  readonly read: number
  readonly write: number
}

/** A token of an application. */
export interface TokenCredential {
  readonly application: { readonly id: string; readonly name: string }
  readonly token: CallerToken
}

export interface CallerToken {
  readonly id: string
  readonly expiresAt: string | null
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
}

/** 403 that names all required scopes and the missing ones; null if the token has them all. */
export function refuseMissingScopes(required: readonly string[], { scopes }: Pick<Caller, 'scopes'>): Refusal | null {
  const missing: string[] = []
  for (const scope of required) if (!scopes.has(scope)) missing.push(scope)
  return missing.length === 0
    ? null
    : refuse('insufficient_scope', { requiredScopes: required, missingScopes: missing })
}
