import { type Services, unattended } from '../kernel/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import { selectParked, takePosition } from './deliver.sql.ts'
import type { LanePosition } from './lane.ts'
import { active, type LaneCondition } from './lane-condition.rules.ts'
import type { ParkedEvent } from './parked-events.rules.ts'
import { takeOldestReplay } from './replays.sql.ts'
import type { Subscription } from './subscription.ts'

/**
 * Takes a webhook for this worker, with everything that is stored of its deliveries. From now on no other worker can settle anything for it.
 * null if it was removed meanwhile.
 */
export async function takeLane(
  { organizationId, id, fromEpoch, fromSeq, resumedAt, concurrency }: Subscription,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<LanePosition | null> {
  const reader = unattended(organizationId)
  const now = new Date(clock.now()).toISOString()
  const values = [organizationId, id, fromEpoch, fromSeq, resumedAt, now]
  const [row] = await database.query(takePosition, values, reader)
  if (row === undefined) return null
  const parked = await database.query(selectParked, [organizationId, id], reader)
  return { ...positionIn(row), parked: parked.map(toParked), concurrency }
}

/**
 * Takes the oldest replay of a webhook that has not ended for this worker, as `takeLane` does. It has half the places of the webhook. null if
 * there is none.
 */
export async function takeReplay(
  { organizationId, id, resumedAt, concurrency }: Subscription,
  { database }: Pick<Services, 'database'>,
): Promise<LanePosition | null> {
  const [row] = await database.query(takeOldestReplay, [organizationId, id, resumedAt], unattended(organizationId))
  if (row === undefined) return null
  const counts = { delivered: Number(row.delivered), failed: Number(row.failed), gone: Number(row.gone) }
  const only = Array.isArray(row.only_seqs) ? row.only_seqs.map(Number) : null
  const replay = { id: String(row.id), toSeq: Number(row.to_seq), only, counts }
  return { ...positionIn(row), parked: [], concurrency: Math.ceil(concurrency / 2), replay }
}

function positionIn(row: Row) {
  return {
    token: Number(row.token),
    epoch: Number(row.epoch),
    settledSeq: Number(row.settled_seq),
    holes: Buffer.isBuffer(row.holes) ? row.holes : Buffer.alloc(0),
    condition: conditionIn(row),
  }
}

function conditionIn({ state, reason, failures, failing_since: since, resume_at: resume }: Row): LaneCondition {
  // Held without a time: its rights were missing, which is judged anew.
  if (state !== 'paused' && (state !== 'held' || resume === null)) return active
  return {
    state: state === 'paused' ? 'paused' : 'held',
    reason: typeof reason === 'string' ? reason : null,
    failures: Number(failures),
    failingSince: timeIn(since),
    resumeAt: timeIn(resume),
  }
}

function toParked(row: Row): ParkedEvent {
  return {
    seq: Number(row.seq),
    resourceId: String(row.resource_id),
    kinds: Array.isArray(row.kinds) ? row.kinds.map(String) : [],
    mergedSeqs: Array.isArray(row.merged_seqs) ? row.merged_seqs.map(Number) : [],
    attempts: Number(row.attempts),
    nextAt: timeIn(row.next_at),
    lastStatus: row.last_status === null ? null : Number(row.last_status),
  }
}

function timeIn(value: unknown): number | null {
  return typeof value === 'string' ? Date.parse(value) : null
}
