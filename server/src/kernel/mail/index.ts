export { Mail, type MailOutcome, type Message } from './mail.ts'
export { isSender, parseSmtpUrl, type SmtpSettings, smtpForm } from './smtp-settings.ts'
