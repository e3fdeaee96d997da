import type { Role } from '../api/index.ts'

export type Need = 'name' | 'email' | 'password' | 'code' | 'sign_in' | 'organization_name'

/** What the server says of a link before it is used. */
export interface LookedAtLink {
  readonly kind: 'sign_in' | 'first' | 'invitation' | 'reset'
  readonly email: string | null
  readonly name: string | null
  readonly organization: { readonly id: string; readonly name: string } | null
  readonly role: Role | null
  readonly expiresAt: string
  /** What has to be entered with it. */
  readonly needs: readonly Need[]
}
