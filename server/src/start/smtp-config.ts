import { isSender, parseSmtpUrl, type SmtpSettings, smtpForm } from '../kernel/mail/index.ts'

/**
 * The server that takes mail, by `SMTP_URL` and `SMTP_FROM`; undefined if neither is set. Adds errors to `problems`, which quote nothing of
 * the address: it has a password.
 */
export function readSmtp(text: (name: string) => string | undefined, problems: string[]): SmtpSettings | undefined {
  const [url, from] = [text('SMTP_URL'), text('SMTP_FROM')]
  if ((url === undefined) !== (from === undefined)) problems.push('SMTP_URL and SMTP_FROM are set together')
  const server = url === undefined ? null : parseSmtpUrl(url)
  if (url !== undefined && server === null) problems.push(`SMTP_URL is ${smtpForm}`)
  if (from !== undefined && !isSender(from))
    problems.push('SMTP_FROM is an address such as crm@example.com or "CRM <crm@example.com>"')
  if (url !== undefined && text('PUBLIC_BASE_URL') === undefined)
    problems.push('PUBLIC_BASE_URL is required when SMTP_URL is set')
  return server === null || from === undefined ? undefined : { ...server, from }
}
