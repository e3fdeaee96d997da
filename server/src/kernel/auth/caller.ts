import type { OrganizationSettings } from '../schema/index.ts'

/** Who calls: a token that belongs to an application of an organization (specification, "Authentication"). */
export interface Caller {
  readonly organization: OrganizationSettings
  readonly application: Application
  readonly token: CallerToken
  readonly scopes: ReadonlySet<string>
}

export interface Application {
  readonly id: string
  readonly name: string
  /** Requests per minute. */
  readonly rateRead: number
  readonly rateWrite: number
}

export interface CallerToken {
  readonly id: string
  readonly expiresAt: string | null
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
}
