import { createHmac } from 'node:crypto'
import type { ChangeEvent } from 'crm-sdk/schemas'
import type { FollowedEvent } from '../feed/follow-feed.ts'
import { isDerived } from '../feed/kinds.rules.ts'
import type { ShownRecord } from './shown-record.ts'

/** A message as a webhook of the server sends it (contract section 11.2). */
export interface ReceiverMessage {
  readonly id: string
  readonly body: string
  readonly requestId: string
}

/** The message about an event, as the webhook with this id would send it. `shown` is the record for a full body. */
export function messageOf({ kind, event }: FollowedEvent, webhookId: string, shown?: ShownRecord): ReceiverMessage {
  return {
    id: `chg_${event.id}_${webhookId}${isDerived(kind) ? kind.replace('deal.', '_') : ''}`,
    body: bodyOf(kind, event, shown),
    requestId: event.requestId,
  }
}

/** A full body is no longer than this, or has no record. */
const mostBytes = 262_144

function bodyOf(type: string, event: ChangeEvent, shown: ShownRecord | undefined): string {
  const head = { type, timestamp: event.occurredAt }
  if (shown === undefined) return JSON.stringify({ ...head, data: event })
  const { record, redacted } = shown
  const meta = redacted.length > 0 && { meta: { redacted } }
  const body = JSON.stringify({ ...head, data: { ...event, record }, ...meta })
  if (record === null || Buffer.byteLength(body) <= mostBytes) return body
  return JSON.stringify({ ...head, data: { ...event, bodyOmitted: true } })
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
