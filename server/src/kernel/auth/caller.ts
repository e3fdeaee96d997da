import type { Author } from '../author.ts'
import type { Rate } from '../rate-limit.ts'
import type { OrganizationSettings } from '../schema/index.ts'

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
