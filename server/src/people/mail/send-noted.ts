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
 * Sends a mail, and notes in the log of accounts that it was sent, or refused with which status. Throws if the server has to be tried again.
 * A note that fails is reported alone: the mail must not go out once more.
 */
export async function sendNoted(
  message: Message,
  { userId, detail }: Noted,
  { mail, clock, database, onFailure }: Pick<Services, 'mail' | 'clock' | 'database' | 'onFailure'>,
): Promise<void> {
  if (mail === null) throw noMail()
  const sent = await mail.send(message)
  const event = sent.outcome === 'sent' ? 'mail_sent' : 'mail_refused'
  const status = sent.outcome === 'sent' ? {} : { status: sent.status }
  const noted = { userId, event, addressClass: null, detail: { ...detail, ...status }, at: clock.now() } as const
  try {
    await noteAccountEvent(noted, database)
  } catch (error) {
    onFailure(error, { job: 'note of a mail' })
  }
}

/**
 * Makes addresses of links for mails. Throws if this process sends none, before a link is made that nobody would get. The configuration has
 * no mail without the address of the server.
 */
export function addressInMail(
  kind: LinkKind,
  { mail, publicBaseUrl }: Pick<Services, 'mail' | 'publicBaseUrl'>,
): (text: string) => string {
  if (mail === null || publicBaseUrl === undefined) throw noMail()
  return text => linkAddress(publicBaseUrl, kind, text)
}

const noMail = () => new Error('mail was asked for, and SMTP_URL or PUBLIC_BASE_URL is not set where jobs run')
