import { type ChangeRow, projectChanges, toChange } from '../crm/changes/index.ts'
import { isDealClosing } from '../crm/deals/index.ts'
import { projectionScopes } from '../kernel/index.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { webhookBounds } from './bounds.ts'

/** An event as it leaves. Without a record: the same bytes for the same events and scopes, whenever it is sent. */
export interface EventMessage {
  /** Computed, so that it is the same on each attempt and each worker. */
  readonly id: string
  readonly body: string
  /** The request that made the change; null where there is none. */
  readonly requestId: string | null
  /** When the event was committed; null if it is none of the feed. */
  readonly committedAt: string | null
}

/** The record of an event as JSON text, and the projections that were applied to it. */
export interface ShownRecord {
  /** null: the record is gone or anonymized, or the event is about a job. */
  readonly text: Buffer | null
  readonly redacted: readonly string[]
}

/** What a message is about. */
export interface MessageSubject {
  /** Updates that were merged, oldest first, or a single event. */
  readonly changes: readonly ChangeRow[]
  /** That of the event, or one that is derived from it. */
  readonly kind: string
}

/**
 * The message about a change (contract section 11.2). Members that these scopes do not permit are absent. `shown` is the record for a body that has it, and is left out of a body that would be too large.
 */
export function messageOfChange(
  { changes, kind }: MessageSubject,
  subscriptionId: string,
  scopes: ReadonlySet<string>,
  shown: ShownRecord | null,
): EventMessage {
  const newest = changes.at(-1)
  if (newest === undefined) throw new Error('a message is about a change')
  const changedFields = [...new Set(changes.flatMap(change => change.changed_fields))]
  const { data: projected, redacted } = projectChanges([{ ...toChange(newest), changedFields }], { scopes })
  const [change] = Array.isArray(projected) ? projected.filter(isObject) : []
  const data = changes.length === 1 ? { ...change } : { ...change, coalesced: changes.length }
  return {
    id: `chg_${newest.id}_${subscriptionId}${isDealClosing(kind) ? kind.replace('deal.', '_') : ''}`,
    body:
      shown === null
        ? bodyOf(kind, newest.occurred_at, data)
        : bodyWithRecord(
            { kind, at: newest.occurred_at, data },
            { ...shown, redacted: [...redacted, ...shown.redacted] },
          ),
    requestId: newest.request_id,
    committedAt: newest.occurred_at,
  }
}

function bodyWithRecord(
  { kind, at, data }: { readonly kind: string; readonly at: string; readonly data: JsonObject },
  { text, redacted }: ShownRecord,
): string {
  const hidden = Object.keys(projectionScopes).filter(projection => redacted.includes(projection))
  const meta = hidden.length === 0 ? '' : `,"meta":${JSON.stringify({ redacted: hidden })}`
  const event = JSON.stringify({ type: kind, timestamp: at, data })
  const room = webhookBounds.webhookBody.most - Buffer.byteLength(event) - meta.length - ',"record":'.length
  if (text !== null && text.length > room) return bodyOf(kind, at, { ...data, bodyOmitted: true })
  return `${event.slice(0, -2)},"record":${text?.toString() ?? 'null'}}${meta}}`
}

/** Why events are missing, and which. */
export interface FeedReset {
  readonly reason: 'expired' | 'epoch'
  readonly epoch: number
  readonly missedFrom: number
  /** The head: later events follow. */
  readonly missedTo: number
  readonly at: string
}

/** The message that tells a receiver that it has missed events and must read everything again. */
export function messageOfReset({ at, epoch, ...reset }: FeedReset, subscriptionId: string): EventMessage {
  const data = { ...reset, resync: 'list all records; changes after this event follow' }
  return {
    id: `rst_${epoch}-${reset.missedTo}_${subscriptionId}`,
    body: bodyOf('feed.reset', at, data),
    requestId: null,
    committedAt: null,
  }
}

/** A webhook of the same application that the server has paused, why, and the last number that is settled for it. */
export interface Pause {
  readonly webhookId: string
  readonly name: string
  readonly reason: string | null
  readonly position: number
  readonly at: string
}

/** The message that tells another webhook of the application so. */
export function messageOfPause({ at, ...pause }: Pause, subscriptionId: string): EventMessage {
  return {
    id: `psd_${Date.parse(at)}-${pause.webhookId}_${subscriptionId}`,
    body: bodyOf('webhook.paused', at, pause),
    requestId: null,
    committedAt: null,
  }
}

function bodyOf(type: string, timestamp: string, data: JsonObject): string {
  return JSON.stringify({ type, timestamp, data })
}
