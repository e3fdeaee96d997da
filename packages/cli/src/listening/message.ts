import { createHmac } from 'node:crypto'
import { type FollowedEvent } from '../feed/follow-feed.ts'
import { isDerived } from '../feed/kinds.rules.ts'

/** A message as a webhook of the server sends it (contract section 11.2). */
export interface ReceiverMessage {
  readonly id: string
  readonly body: string
  readonly requestId: string
}

/** The message about an event, as the webhook with this id would send it. */
export function messageOf({ kind, event }: FollowedEvent, webhookId: string): ReceiverMessage {
  return {
    id: `chg_${event.id}_${webhookId}${isDerived(kind) ? kind.replace('deal.', '_') : ''}`,
    body: JSON.stringify({ type: kind, timestamp: event.occurredAt, data: event }),
    requestId: event.requestId,
  }
}

/** The headers of a message that is sent now, `at` in milliseconds, signed as Standard Webhooks 1.0 defines. */
export function headersOf(
  { id, body, requestId }: ReceiverMessage,
  secret: string,
  at: number,
): Record<string, string> {
  const seconds = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'crm-server',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
    'crm-request-id': requestId,
  }
}
