import { AddressList } from '../auth/index.ts'

/** The server that takes mail, and whom mail is from. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** `implicit`: the connection begins with TLS. `upgraded`: it goes on with TLS, or ends. `none`: others in the network can read it. */
  readonly tls: 'implicit' | 'upgraded' | 'none'
  readonly login: { readonly user: string; readonly password: string } | null
  /** `crm@example.com`, or with a name: `CRM <crm@example.com>`. */
  readonly from: string
  /** The certificate of an authority that the server is signed by, as PEM; without it, those that Node.js knows. */
  readonly authority?: string
}

export const smtpForm =
  'smtp://host:587 or smtps://host:465, with user and password before the host if it asks for them'

const loopback = new AddressList(['127.0.0.0/8', '::1'])
const ports = { 'smtp:': 587, 'smtps:': 465 } as const
const senderForm = /^(?:[^<>\p{Cc}]*<([^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+)>|[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+)$/u

/**
 * Reads the address of a server that takes mail; null if it is none. With `smtp` the connection is upgraded to TLS before anything is said,
 * unless the server is on this machine or `?tls=none` says that the network is trusted.
 */
export function parseSmtpUrl(text: string): Omit<SmtpSettings, 'from'> | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null
  const isPlain = search === '?tls=none' && protocol === 'smtp:'
  if (hostname === '' || !['', '/'].includes(pathname) || hash !== '' || (search !== '' && !isPlain)) return null
  if ((username === '') !== (password === '')) return null
  const login = username === '' ? null : decodedLogin(username, password)
  if (login === undefined) return null
  const host = hostname.replaceAll(/^\[|\]$/gu, '')
  const isOwn = host === 'localhost' || loopback.has(host)
  const tls = protocol === 'smtps:' ? 'implicit' : isPlain || isOwn ? 'none' : 'upgraded'
  return { host, port: port === '' ? ports[protocol] : Number(port), tls, login }
}

/** Whether mail can be from this. */
export function isSender(text: string): boolean {
  return senderForm.test(text)
}

function decodedLogin(user: string, password: string): SmtpSettings['login'] | undefined {
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) }
  } catch {
    return undefined
  }
}
