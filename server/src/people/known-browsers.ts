import { hash, randomBytes } from 'node:crypto'
import type { Secret } from '../kernel/index.ts'

/** How long a browser that has signed in is known, in seconds. */
export const knownBrowserSeconds = 90 * 86_400

/** The accounts that one browser is known for: those it signed in to last. */
const mostAccounts = 3

interface KnownBrowser {
  readonly id: string
  /** Seconds since the epoch. */
  readonly until: number
  /** Short hashes of the accounts. */
  readonly accounts: readonly string[]
}

const form = /^([\w-]{22})\.(\d{1,12})\.([\w-]{16}(?:~[\w-]{16}){0,2})\.([\w-]{22})$/u

/**
 * The text of a cookie by which a browser is known that has signed in to accounts. Such a browser has attempts of its own, so that strangers
 * who guess do not lock out the user. It is signed, and good for the accounts that it names and for no other.
 */
export function rememberBrowser(former: string, email: string, now: number, secret: Secret): string {
  const known = readKnownBrowser(former, now, secret)
  const account = shortHash(email)
  const others = known?.accounts.filter(each => each !== account) ?? []
  const accounts = [account, ...others].slice(0, mostAccounts)
  const id = known?.id ?? randomBytes(16).toString('base64url')
  const named = `${id}.${Math.floor(now / 1000) + knownBrowserSeconds}.${accounts.join('~')}`
  return `${named}.${secret.signBrowser(named).toString('base64url')}`
}

/** The origin of attempts of a browser that is known for an account; null for any other browser or text. */
export function originOfBrowser(text: string, email: string, now: number, secret: Secret): string | null {
  const known = readKnownBrowser(text, now, secret)
  return known !== null && known.accounts.includes(shortHash(email)) ? `browser:${known.id}` : null
}

function readKnownBrowser(text: string, now: number, secret: Secret): KnownBrowser | null {
  const [, id, until, accounts, signature] = form.exec(text) ?? []
  if (id === undefined || until === undefined || accounts === undefined || signature === undefined) return null
  const named = `${id}.${until}.${accounts}`
  if (!secret.isSignedBrowser(named, Buffer.from(signature, 'base64url')) || Number(until) * 1000 <= now) return null
  return { id, until: Number(until), accounts: accounts.split('~') }
}

function shortHash(email: string): string {
  return hash('sha256', email.trim().toLowerCase(), 'base64url').slice(0, 16)
}
