import { Counter, type Registry } from 'prom-client'
import type { Services } from '../../kernel/index.ts'

/** Counts the mails that this process hands to the server that takes them. Without one it exports nothing. */
export function addMailMetrics({ mail }: Pick<Services, 'mail'>, registry: Registry): void {
  if (mail === null) return
  const attempts = new Counter({
    name: 'crm_mail_attempts_total',
    help: 'Mails that this process handed to the mail server, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['sent', 'refused', 'failed']) attempts.inc({ outcome }, 0)
  mail.onAttempt = outcome => attempts.inc({ outcome })
}
