import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { parseSmtpUrl, type SmtpSettings } from '../../server/src/kernel/mail/index.ts'

/** A mail that has arrived. */
export interface ArrivedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Whether the connection was encrypted. */
  readonly isEncrypted: boolean
}

/** A real server that takes mail, on a port of this machine. */
export class MailServer {
  readonly arrived: ArrivedMail[] = []
  /** The status with which it refuses each recipient; null: it takes them. */
  status: number | null = null
  #server: SMTPServer | undefined
  #port = 0
  readonly #options: SMTPServerOptions

  /** By default it is not encrypted and asks for no user. */
  constructor(options: SMTPServerOptions = {}) {
    this.#options = { authOptional: true, disabledCommands: ['STARTTLS'], logger: false, ...options }
  }

  /** Starts, on the port that it had before. */
  async listen(): Promise<void> {
    const server = new SMTPServer({
      ...this.#options,
      onRcptTo: (_, __, callback) => {
        if (this.status === null) return callback()
        callback(Object.assign(new Error('no such mailbox'), { responseCode: this.status }))
      },
      onData: (stream, { envelope, secure }, callback) => {
        const take = async () => {
          const mail = parsed(await text(stream))
          this.arrived.push({ ...mail, to: String(envelope.rcptTo[0]?.address), isEncrypted: secure })
        }
        callbackify(take)(callback)
      },
    })
    // Clients that do not trust the certificate hang up.
    server.on('error', () => {})
    await new Promise<void>(resolve => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = portOf(server.server.address())
    this.#server = server
  }

  /** Settings that lead to it. */
  settings(more: Partial<SmtpSettings> = {}): SmtpSettings {
    const address = parseSmtpUrl(`smtp://127.0.0.1:${this.#port}`)
    if (address === null) throw new Error('the address of the mail server cannot be read')
    return { ...address, from: 'CRM <crm@example.com>', ...more }
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server !== undefined) await new Promise<void>(resolve => server.close(() => resolve()))
  }
}

/** The link in the text of a mail: its page, and what stands behind the `#`. */
export function linkIn({ text: body }: ArrivedMail): { readonly address: string; readonly link: string } {
  const [address = '', link = ''] = /\bhttps?:\/\/\S+#([\w-]+)/u.exec(body) ?? []
  return { address, link }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the mail server does not listen on a port')
  return address.port
}

/** Reads the subject and the two bodies of a mail of several parts. */
function parsed(raw: string): Pick<ArrivedMail, 'subject' | 'text' | 'html'> {
  const boundary = /boundary="([^"]+)"/u.exec(raw)?.[1] ?? ''
  const parts = raw.split(`--${boundary}`).slice(1)
  const bodyOf = (type: string) => decoded(parts.find(part => part.includes(`Content-Type: ${type}`)) ?? '')
  const subject = /^Subject: ((?:.|\r\n[ \t])*)/mu.exec(raw)?.[1] ?? ''
  return { subject: decodedWords(subject), text: bodyOf('text/plain'), html: bodyOf('text/html') }
}

function decoded(part: string): string {
  const [head = '', ...rest] = part.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/Content-Transfer-Encoding: base64/iu.test(head)) return Buffer.from(body, 'base64').toString()
  return /Content-Transfer-Encoding: quoted-printable/iu.test(head) ? unquoted(body.replaceAll('=\r\n', '')) : body
}

function decodedWords(line: string): string {
  return line
    .replaceAll(/\?=\s+=\?/gu, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/giu, (_, form: string, word: string) =>
      form.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : unquoted(word.replaceAll('_', ' ')),
    )
}

function unquoted(body: string): string {
  const bytes = body.replaceAll(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
