import { hash, randomBytes } from 'node:crypto'
import type { MemberRole } from '../../kernel/auth/index.ts'
import { lockNumber } from '../../kernel/schema/index.ts'
import type { Transaction } from '../../kernel/sql/index.ts'
import { deleteReplacedLinks, insertLink, lockLinks } from './links.sql.ts'

/**
 * What a link is for. `sign_in` signs a user in; `first` founds the first organization and its owner; `invitation` makes a member, or lets a
 * user whom the operator has made choose a password; `reset` sets another password.
 */
export type LinkKind = 'sign_in' | 'first' | 'invitation' | 'reset'

const minute = 60_000

/** How long each kind is good, in milliseconds. */
const linkTimes: Readonly<Record<LinkKind, number>> = {
  sign_in: 30 * minute,
  first: 30 * minute,
  reset: 60 * minute,
  invitation: 7 * 24 * 60 * minute,
}

/** For whom a link is. One of the kind `first` names nobody. */
export interface NewLink {
  readonly kind: LinkKind
  readonly email: string | null
  readonly name: string | null
  readonly userId?: string | null
  readonly organizationId?: string | null
  readonly role?: MemberRole | null
  /** The operator who has invited; null for the operator of the installation. */
  readonly invitedBy?: string | null
  /** Whether only a mail will have it. */
  readonly isMailed?: boolean
}

export interface CreatedLink {
  /** 256 random bits. Only a hash is stored. */
  readonly text: string
  readonly expiresAt: string
}

/**
 * Makes a link. An unused link of the same kind for the same person, of the same organization, is no longer good. Of links that reset a
 * password, a mailed one replaces mailed ones alone: anybody can ask for it, and the operator's stays good.
 */
export async function createLink(link: NewLink, now: number, transaction: Transaction): Promise<CreatedLink> {
  const {
    kind,
    email,
    name,
    userId = null,
    organizationId = null,
    role = null,
    invitedBy = null,
    isMailed = false,
  } = link
  const text = newLinkText()
  const [createdAt, expiresAt] = [now, now + linkTimes[kind]].map(time => new Date(time).toISOString())
  await transaction.query(lockLinks, [lockNumber('links', kind, (email ?? '').toLowerCase())])
  await transaction.query(deleteReplacedLinks, [kind, email, organizationId, isMailed])
  const hash = hashLink(text)
  const values = [hash, kind, email, name, userId, organizationId, role, invitedBy, createdAt, expiresAt]
  await transaction.query(insertLink, [...values, isMailed ? hash : null])
  return { text, expiresAt: expiresAt ?? '' }
}

/** 256 random bits. */
export function newLinkText(): string {
  return randomBytes(32).toString('base64url')
}

/** The text is random and long, so one round of SHA-256 keeps it safe. */
export function hashLink(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

const pages: Readonly<Record<LinkKind, string>> = {
  sign_in: 'enter',
  first: 'enter',
  invitation: 'join',
  reset: 'reset',
}

/** The address of the page that uses a link. The text is in the fragment, which browsers send to no server. */
export function linkAddress(base: string, kind: LinkKind, text: string): string {
  return `${base.replace(/\/+$/u, '')}/cabinet/${pages[kind]}#${text}`
}
