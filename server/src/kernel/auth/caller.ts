import { type Refusal, refuse } from '../errors/index.ts'
import type { OrganizationSettings } from '../schema/index.ts'
import type { Author } from './author.ts'

/** The ways in. A cursor is good at the one that gave it; audit entries tell which one a request took. */
export type EntryName = 'api' | 'cabinet'

/** An authenticated caller, whatever the entrypoint (specification, "Authentication"). */
export interface Caller {
  readonly entry: EntryName
  readonly organization: OrganizationSettings
  readonly scopes: ReadonlySet<string>
  /** The author of its changes. */
  readonly author: Author
  /** The application whose external keys it uses, and whose jobs and exports it sees. */
  readonly keysOf: string
  /** The rate limit that its requests count against. */
  readonly rate: Rate
  /** Whose idempotency keys it uses. */
  readonly idempotency: IdempotencyOwner
  /** The credential that authenticated it. Audit entries and `/capabilities` read it. */
  readonly credential: TokenCredential | SessionCredential
}

/** A caller with a token of an application. */
export interface TokenCaller extends Caller {
  readonly credential: TokenCredential
}

/** The application whose idempotency keys a caller uses, and what distinguishes its keys from those of others who use the application. */
interface IdempotencyOwner {
  readonly applicationId: string
  readonly prefix: string
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

/**
 * The session of a user who is a member of the organization. `application` is the hidden one that stands for the cabinet, and `operatorId`
 * names the member.
 */
export interface SessionCredential {
  readonly application: { readonly id: string; readonly name: string }
  readonly operatorId: string
  /** Times are in milliseconds. `freshAt` is when the user last proved who they are. */
  readonly session: { readonly id: string; readonly expiresAt: number; readonly freshAt: number }
  readonly user: { readonly id: string; readonly name: string }
}

interface CallerToken {
  readonly id: string
  readonly expiresAt: string | null
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
}

/** 403 that names all required scopes and the missing ones; null if the caller has them all. */
export function refuseMissingScopes(required: readonly string[], { scopes }: Pick<Caller, 'scopes'>): Refusal | null {
  const missing: string[] = []
  for (const scope of required) if (!scopes.has(scope)) missing.push(scope)
  return missing.length === 0
    ? null
    : refuse('insufficient_scope', { requiredScopes: required, missingScopes: missing })
}
