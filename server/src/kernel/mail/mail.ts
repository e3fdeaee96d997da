import type { Transporter } from 'nodemailer'
import type { SmtpSettings } from './smtp-settings.ts'

/** A mail to one person. */
export interface Message {
  /** An address without a name. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What became of an attempt: the server took the mail, refused it for good, or neither. */
export type MailOutcome = 'sent' | 'refused' | 'failed'

/** The server neither took nor refused a mail: another attempt may succeed. The message names no address. */
class MailFailed extends Error {
  override readonly name = 'MailFailed'
}

/** How long the server may take to let itself be connected, to greet, and to answer, in milliseconds. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 20_000 }

/** Sends mail through a server that speaks SMTP. The library is loaded with the first mail. */
export class Mail {
  readonly #settings: SmtpSettings
  #transport: Promise<Transporter> | undefined
  /** Told of each attempt, for the metrics. */
  onAttempt: (outcome: MailOutcome) => void = () => {}

  constructor(settings: SmtpSettings) {
    this.#settings = settings
  }

  /**
   * Hands a mail to the server. Resolves to `refused` with the status of its answer if the server will never take it: then nothing is to be
   * tried again. Throws a `MailFailed` if the server cannot be reached, proves to be another one, or asks to try again later.
   */
  async send({ to, subject, text, html }: Message): Promise<{ readonly outcome: 'sent' } | RefusedMail> {
    try {
      const transport = await this.#connected()
      await transport.sendMail({
        from: this.#settings.from,
        // An object is taken as it is, and not read as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        html,
        // Answers of machines, such as notes of absence, are asked not to come.
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      this.onAttempt('sent')
      return { outcome: 'sent' }
    } catch (error) {
      const refused = refusalIn(error)
      this.onAttempt(refused === null ? 'failed' : 'refused')
      if (refused !== null) return refused
      throw failureOf(error)
    }
  }

  /** Connects, and signs in where a user is configured. Resolves to what was reached; throws a `MailFailed` if it could not be. */
  async check(): Promise<string> {
    const { host, port, login } = this.#settings
    try {
      await (await this.#connected()).verify()
    } catch (error) {
      throw failureOf(error)
    }
    return `${host}:${port} answers${login === null ? '' : ', and takes the user'}`
  }

  #connected(): Promise<Transporter> {
    this.#transport ??= transportOf(this.#settings)
    return this.#transport
  }
}

/** A mail that the server will never take. */
export interface RefusedMail {
  readonly outcome: 'refused'
  /** The status of its answer, such as 550; null if the address itself cannot be sent to. */
  readonly status: number | null
}

async function transportOf({ host, port, tls, login, authority }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...timeouts,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'upgraded',
    ignoreTLS: tls === 'none',
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    tls: { minVersion: 'TLSv1.2', ...(authority === undefined ? {} : { ca: authority }) },
  })
}

/**
 * What is about this one mail, and no attempt can change: its recipient, or its text. Null for anything else, such as a wrong password, or a
 * sender that the server does not allow.
 */
function refusalIn(error: unknown): RefusedMail | null {
  if (!(error instanceof Error) || !('code' in error) || !('command' in error)) return null
  if (error.code !== 'EENVELOPE' && error.code !== 'EMESSAGE') return null
  const status = statusIn(error)
  if (status === null) return error.message.startsWith('Invalid sender') ? null : { outcome: 'refused', status }
  if (error.command !== 'RCPT TO' && error.code !== 'EMESSAGE') return null
  // 503: the commands came in a wrong order, which another connection does not have.
  return status >= 500 && status !== 503 ? { outcome: 'refused', status } : null
}

/** The error without what it may quote: an address, or the answer of the server. */
function failureOf(error: unknown): MailFailed {
  const status = statusIn(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const original =
    error instanceof Error && 'originalCode' in error && typeof error.originalCode === 'string'
      ? error.originalCode
      : code
  return new MailFailed(
    status === null ? `the mail server could not be used: ${original}` : `the mail server answered ${status} (${code})`,
  )
}

function statusIn(error: unknown): number | null {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
    ? error.responseCode
    : null
}
