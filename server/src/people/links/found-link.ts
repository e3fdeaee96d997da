import { type MemberRole, memberRoles } from '../../kernel/auth/index.ts'
import { type Refusal, refuse } from '../../kernel/index.ts'
import type { Database, Row } from '../../kernel/sql/index.ts'
import { hashLink, type LinkKind } from './create-link.ts'
import { findLink } from './links.sql.ts'

/** A link that is good, with the account that it leads to. */
export interface FoundLink {
  /** Identifies the link in its table. */
  readonly secretHash: Buffer
  /** Whether only a mail has had it: who has it reads mail to the address. */
  readonly isMailed: boolean
  readonly kind: LinkKind
  readonly email: string | null
  readonly name: string | null
  readonly organization: { readonly id: string; readonly name: string } | null
  readonly role: MemberRole | null
  readonly invitedBy: string | null
  readonly expiresAt: string
  /** Whether the operator of the installation has made the account together with the link. */
  readonly isOfNewUser: boolean
  /** The user with the address of the link; null if there is none. */
  readonly account: LinkAccount | null
}

export interface LinkAccount {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
}

const linkForm = /^[\w-]{43}$/u

/** Looks up the link with this text. Refuses (410) if it is unknown, used or expired, or if its user is not active. */
export async function foundLink(text: string, database: Database, now: number): Promise<FoundLink | Refusal> {
  if (!linkForm.test(text)) return notValid(null)
  const [row] = await database.query(findLink, [hashLink(text)])
  if (row === undefined || !Buffer.isBuffer(row.secret_hash)) return notValid(null)
  const kind = kindOf(row.kind)
  const account = accountOf(row)
  const isGood = row.used_at === null && Date.parse(String(row.expires_at)) > now
  if (kind === null || !isGood || (account !== null && row.active !== true)) return notValid(row)
  if (account === null && (kind === 'sign_in' || kind === 'reset')) return notValid(row)
  // The address has been taken from the account since.
  if (kind === 'reset' && account?.email.toLowerCase() !== textOf(row.email)?.toLowerCase()) return notValid(row)
  const isOfNewUser = kind === 'invitation' && row.user_id !== null
  if (isOfNewUser && account?.hasPassword !== false) return notValid(row)
  return {
    secretHash: row.secret_hash,
    isMailed: row.is_mailed === true,
    kind,
    email: textOf(row.email),
    name: textOf(row.name),
    organization:
      row.organization_id === null
        ? null
        : { id: String(row.organization_id), name: String(row.organization_name ?? '') },
    role: memberRoles.find(role => role === row.role) ?? null,
    invitedBy: textOf(row.invited_by),
    expiresAt: String(row.expires_at),
    isOfNewUser,
    account,
  }
}

/** The refusal of a link; `details.who` says who can make another: an owner of the organization, or the operator of the installation. */
export function notValid(link: { readonly invited_by?: unknown } | null): Refusal {
  return refuse('link_not_valid', { who: typeof link?.invited_by === 'string' ? 'owner' : 'operator' })
}

const kinds: readonly LinkKind[] = ['sign_in', 'first', 'invitation', 'reset']

function kindOf(stored: unknown): LinkKind | null {
  return kinds.find(kind => kind === stored) ?? null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function accountOf(row: Row): LinkAccount | null {
  if (row.account_id === null) return null
  return {
    id: String(row.account_id),
    email: String(row.account_email),
    name: String(row.account_name),
    hasPassword: row.has_password === true,
    hasSecondFactor: row.has_second_factor === true,
  }
}
