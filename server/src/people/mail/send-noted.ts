import type { Services } from '../../kernel/index.ts'
import type { Message } from '../../kernel/mail/index.ts'
import { noteAccountEvent } from '../account-events.ts'
import { type LinkKind, linkAddress } from '../links/create-link.ts'

/** The account that a mail is about, and what the log of accounts says of it. */
interface Noted {
  readonly userId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/**
 * Sends a mail, and notes in the log of accounts that it was sent, or refused with which status. Throws if the server has to be tried again,
 * and if this process has none.
 */
export async function sendNoted(
  message: Message,
  { userId, detail }: Noted,
  { mail, clock, database }: Pick<Services, 'mail' | 'clock' | 'database'>,
): Promise<void> {
  if (mail === null) throw new Error('mail was asked for, and SMTP_URL is not set where jobs run')
  const sent = await mail.send(message)
  const event = sent.outcome === 'sent' ? 'mail_sent' : 'mail_refused'
  const status = sent.outcome === 'sent' ? {} : { status: sent.status }
  const noted = { userId, event, addressClass: null, detail: { ...detail, ...status }, at: clock.now() } as const
  await noteAccountEvent(noted, database)
}

/** The address of a link in a mail. The configuration has no mail without the address of the server. */
export function linkInMail(kind: LinkKind, text: string, { publicBaseUrl }: Pick<Services, 'publicBaseUrl'>): string {
  if (publicBaseUrl === undefined) throw new Error('mail needs PUBLIC_BASE_URL where jobs run')
  return linkAddress(publicBaseUrl, kind, text)
}
