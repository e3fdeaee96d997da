import type { Secret } from '../kernel/index.ts'
import { isObject } from '../kernel/schema/index.ts'
import type { Row } from '../kernel/sql/index.ts'

/** Where the messages of a subscription go, and what they carry. Never show its secrets or the values of its headers. */
export interface Receiver {
  readonly url: URL
  /** The headers of its own, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The current secret, and during an overlap the former one; none in a subscription that came with the file of an organization. */
  readonly secrets: readonly string[]
}

/** SQL of what `receiverOf` reads of a row `t` of `webhook_subscriptions`. */
export const receiverColumns = 't.url, t.headers, t.secret, t.former_secret, t.former_secret_until'

interface Place {
  readonly organizationId: string
  /** The subscription. */
  readonly id: string
}

/**
 * The receiver of a selected row, at a time in milliseconds. Throws if a secret cannot be decrypted; the message is one line for the
 * operator.
 */
export function receiverOf(row: Row, { organizationId, id }: Place, { keyring }: Secret, now: number): Receiver {
  const decrypted = (stored: unknown): string[] => {
    if (typeof stored !== 'string') return []
    const text = keyring.decrypt(stored, { organizationId, kind: 'webhook', recordId: id })
    if (text === null)
      throw new Error(
        'a secret of the webhook cannot be decrypted: it was encrypted with another CRM_SECRET, or for another webhook',
      )
    return [text]
  }
  const overlaps = typeof row.former_secret_until === 'string' && now < Date.parse(row.former_secret_until)
  return {
    url: new URL(String(row.url)),
    headers: Object.fromEntries(decrypted(row.headers).flatMap(headersIn)),
    secrets: [...decrypted(row.secret), ...(overlaps ? decrypted(row.former_secret) : [])],
  }
}

function headersIn(text: string): [string, string][] {
  const listed: unknown = JSON.parse(text)
  if (!Array.isArray(listed)) return []
  return listed.filter(isObject).map(({ name, value }) => [String(name).toLowerCase(), String(value)])
}
