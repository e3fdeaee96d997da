import type { MemberRole } from '../../kernel/auth/index.ts'
import { type Clock, Refusal } from '../../kernel/index.ts'
import type { Database } from '../../kernel/sql/index.ts'
import type { LinkKind } from './create-link.ts'
import { type FoundLink, foundLink } from './found-link.ts'

/** What the person has to give or to do so that the link can be used. */
export type LinkNeed = 'name' | 'email' | 'password' | 'code' | 'sign_in' | 'organization_name'

export interface LookedAtLink {
  readonly kind: LinkKind
  readonly email: string | null
  readonly name: string | null
  readonly organization: { readonly id: string; readonly name: string } | null
  readonly role: MemberRole | null
  readonly expiresAt: string
  readonly needs: readonly LinkNeed[]
  /** The account that using the link signs in to or changes; null if it makes one, or asks to sign in. */
  readonly user: { readonly id: string; readonly email: string; readonly hasSecondFactor: boolean } | null
}

/** Looks at a link without using it. `signedInUserId` is the user of the session, or null. Refuses (410) a link that is not good. */
export async function lookAtLink(
  text: string,
  signedInUserId: string | null,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Promise<LookedAtLink | Refusal> {
  const link = await foundLink(text, database, clock.now())
  if (link instanceof Refusal) return link
  const { kind, email, name, organization, role, expiresAt, account } = link
  const needs = needsOf(link, signedInUserId)
  const isForeign = account === null || (kind === 'invitation' && !link.isOfNewUser)
  const user = isForeign ? null : { id: account.id, email: account.email, hasSecondFactor: account.hasSecondFactor }
  return { kind, email, name, organization, role, expiresAt, needs, user }
}

/** What using the link needs. */
export function needsOf(
  { kind, account, isOfNewUser }: Pick<FoundLink, 'kind' | 'account' | 'isOfNewUser'>,
  signedInUserId: string | null,
): readonly LinkNeed[] {
  const code = account?.hasSecondFactor === true ? (['code'] as const) : []
  if (kind === 'first') return ['organization_name', 'name', 'email', 'password']
  if (kind === 'sign_in') return code
  if (kind === 'reset') return ['password', ...code]
  if (isOfNewUser) return ['password']
  if (account === null) return ['name', 'password']
  return account.id === signedInUserId ? [] : ['sign_in']
}
