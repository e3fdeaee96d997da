import { type Services, unattended } from '../kernel/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import { selectParked, takePosition } from './deliver.sql.ts'
import { active, type LaneCondition } from './lane.rules.ts'
import type { LanePosition } from './lane.ts'
import type { ParkedEvent } from './parked-events.rules.ts'
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
  return {
    token: Number(row.token),
    epoch: Number(row.epoch),
    settledSeq: Number(row.settled_seq),
    holes: Buffer.isBuffer(row.holes) ? row.holes : Buffer.alloc(0),
    condition: conditionIn(row),
    parked: parked.map(toParked),
    concurrency,
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
