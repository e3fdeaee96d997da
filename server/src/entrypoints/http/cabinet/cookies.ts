import type { Secret } from '../../../kernel/index.ts'
import { type Arrived, isLocal } from './own-site.ts'

/** The cookies of the cabinet, as this request can have them. */
export interface Cookies {
  /** The secret of the session that the browser sent; null without one, and if it sent several. */
  readonly session: string | null
  /** The text by which a browser is known that signed in before; empty without one. */
  readonly knownBrowser: string
  /** `Set-Cookie` with the secret of a session. */
  giveSession(secret: string, seconds: number): string
  giveKnownBrowser(text: string, seconds: number): string
  /** `Set-Cookie` that removes the session. */
  readonly dropSession: string
}

/**
 * The request decides which cookies there are, and nothing else does. Over https they have the prefix `__Host-`, which no other host and
 * no page over http can set, and others are not read. Over http a browser on the machine of the server has plain ones. Null for any other
 * request over http: nobody can sign in there.
 */
export function cookiesOf(call: Arrived, secret: Secret): Cookies | null {
  if (!call.isSecure && !isLocal(call)) return null
  const prefix = call.isSecure ? '__Host-' : ''
  const secure = call.isSecure ? '; Secure' : ''
  // Programs that listen on other ports of the machine have the same cookies.
  const [session, known] = [`${prefix}crm-${secret.digits}`, `${prefix}crm-known-${secret.digits}`]
  const sent = call.header('cookie') ?? ''
  const give = (name: string, value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
  return {
    session: valueOf(session, sent),
    knownBrowser: valueOf(known, sent) ?? '',
    giveSession: (value, seconds) => give(session, value, seconds),
    giveKnownBrowser: (value, seconds) => give(known, value, seconds),
    dropSession: give(session, '', 0),
  }
}

/** The value of a cookie that was sent once. Of two with one name, one is somebody else's. */
function valueOf(name: string, sent: string): string | null {
  const values = sent.split(';').flatMap(each => {
    const [sentName = '', ...value] = each.split('=')
    return sentName.trim() === name ? [value.join('=').trim()] : []
  })
  const [only] = values
  return values.length === 1 && only !== undefined && only !== '' ? only : null
}
