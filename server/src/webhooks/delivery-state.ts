import type { Database, Row } from '../kernel/sql/index.ts'
import { keptUntil } from './expiring-events.ts'
import { selectDeliveryState } from './log.sql.ts'

/** How the deliveries of a webhook stand. */
export interface DeliveryState {
  readonly state: 'active' | 'held' | 'paused'
  /** Why it is not active, in one word. */
  readonly reason: string | null
  /** Since when it has been so; null if that is not known. */
  readonly since: string | null
  /** When the receiver is called again although nothing new happens; null if it is not. */
  readonly nextAttempt: string | null
  /** Everything up to this number of the feed is delivered, parked or not wanted. */
  readonly position: number
  /** The last number of the feed. */
  readonly head: number
  /** How many numbers there are between both; null if the feed has another epoch, so that the receiver is told to read all records anew. */
  readonly behind: number | null
  /** Until when the feed keeps the oldest event behind `position`, at least; null if there is none. Then it is missed. */
  readonly eventsKeptUntil: string | null
  readonly parkedEvents: number
}

/** Reads how the deliveries of a webhook stand; null if there is no such webhook. The feed keeps events for `retentionSeconds`. */
export async function readDeliveryState(
  database: Database,
  organizationId: string,
  id: string,
  retentionSeconds: number,
): Promise<DeliveryState | null> {
  const [row] = await database.search(selectDeliveryState, [organizationId, id])
  if (row === undefined) return null
  const position = Number(row.settled_seq ?? row.from_seq)
  const head = Number(row.head)
  const isSameFeed = Number(row.epoch ?? row.from_epoch) === Number(row.feed_epoch)
  const behind = isSameFeed ? Math.max(0, head - position) : null
  const waiting = isSameFeed ? textIn(row.waiting_since) : null
  const eventsKeptUntil = waiting === null ? null : keptUntil(waiting, retentionSeconds)
  return { ...conditionOf(row), position, head, behind, eventsKeptUntil, parkedEvents: Number(row.parked) }
}

function conditionOf(row: Row): Pick<DeliveryState, 'state' | 'reason' | 'since' | 'nextAttempt'> {
  const changed = textIn(row.changed_at)
  if (row.enabled !== true) return { state: 'paused', reason: 'command', since: null, nextAttempt: null }
  const reason = textIn(row.reason)
  if (row.state === 'paused' && !isResumed(row)) return { state: 'paused', reason, since: changed, nextAttempt: null }
  if (row.state !== 'held')
    return { state: 'active', reason: null, since: changed, nextAttempt: textIn(row.next_parked_at) }
  return { state: 'held', reason, since: textIn(row.failing_since) ?? changed, nextAttempt: textIn(row.resume_at) }
}

/** A pause from before the webhook was resumed is over as soon as a worker has looked. */
function isResumed({ resumed_at: resumed, changed_at: changed }: Row): boolean {
  return resumed !== null && Date.parse(String(resumed)) >= Date.parse(String(changed))
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

const words: Readonly<Record<string, string>> = {
  command: 'it was paused by a command, or has come with the file of an organization',
  status: 'the receiver answers that it is down: 429, 502, 503 or 504',
  failures: 'the receiver has refused events of five records in a row',
  timeout: 'the receiver does not answer within 15 s',
  unreachable: 'the receiver cannot be reached',
  forbidden: 'the address of the receiver is none that the server may call',
  too_many_parked: 'too many events wait for another attempt',
  gone: 'the receiver has answered 410: it wants no more events',
  application_disabled: 'the application is disabled',
  crm_provider: 'the records of the organization are with another provider',
  several_tokens: 'the application has several valid tokens, and the webhook names none',
  token_networks: 'the token is accepted from some networks only',
  token_removed: 'the application has no token, or the token of the webhook was removed',
  token_revoked: 'the token was revoked',
  token_expired: 'the token has expired',
  filter_scopes: 'the token lacks a scope that a filter of the webhook needs',
  secret_unreadable: 'there is no secret, or the server cannot read it: rotate it',
  unsupported: 'this version does not send what the webhook asks for',
}

/** The reason of a state as a sentence for people; the word itself if it is not known here. */
export function wordsOfReason(reason: string): string {
  return words[reason] ?? reason
}
