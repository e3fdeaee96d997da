import { type ChangeRow, projectChanges, toChange } from '../crm/changes/index.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'

/** An event as it leaves: the same bytes for the same events and scopes, whenever it is sent. */
export interface EventMessage {
  /** Computed, so that it is the same on each attempt and each worker. */
  readonly id: string
  readonly body: string
  /** The request that made the change; null where there is none. */
  readonly requestId: string | null
}

/**
 * The message about a change (contract section 11.2): `changes` are updates that were merged, oldest first, or a single event. Members that
 * these scopes do not permit are absent.
 */
export function messageOfChange(
  changes: readonly ChangeRow[],
  subscriptionId: string,
  scopes: ReadonlySet<string>,
): EventMessage {
  const newest = changes.at(-1)
  if (newest === undefined) throw new Error('a message is about a change')
  const changedFields = [...new Set(changes.flatMap(change => change.changed_fields))]
  const { data: projected } = projectChanges([{ ...toChange(newest), changedFields }], { scopes })
  const [change] = Array.isArray(projected) ? projected.filter(isObject) : []
  const data = changes.length === 1 ? { ...change } : { ...change, coalesced: changes.length }
  return {
    id: `chg_${newest.id}_${subscriptionId}`,
    body: bodyOf(newest.kind, newest.occurred_at, data),
    requestId: newest.request_id,
  }
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
  }
}

function bodyOf(type: string, timestamp: string, data: JsonObject): string {
  return JSON.stringify({ type, timestamp, data })
}
