import { type Refusal, refuse } from '../errors/index.ts'
import type { OrganizationSettings } from '../schema/index.ts'
import type { Author } from './author.ts'

/** Who calls, whatever the way in (specification, "Authentication"). */
export interface Caller {
  readonly organization: OrganizationSettings
  readonly scopes: ReadonlySet<string>
  /** Who makes its changes. */
  readonly author: Author
  /** The application whose external keys are meant, and whose jobs and exports it sees. */
  readonly keysOf: string
  /** The rate limit that its requests count against. */
  readonly rate: Rate
  /** The application whose idempotency keys it uses. */
  readonly idempotencyOwner: string
  /** What it was let in by. It is read by audit entries, by links and jobs, which end with it, and by `/capabilities`. */
  readonly credential: TokenCredential
}

/** Whose requests are counted, and how many of each kind are allowed in a minute. */
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

/** 403 that names all required scopes and the missing ones; null when the token has them all. */
export function refuseMissingScopes(required: readonly string[], { scopes }: Pick<Caller, 'scopes'>): Refusal | null {
  const missing = required.filter(scope => !scopes.has(scope))
  return missing.length === 0
    ? null
    : refuse('insufficient_scope', { requiredScopes: required, missingScopes: missing })
}
