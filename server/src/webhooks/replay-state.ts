import type { Database, Row } from '../kernel/sql/index.ts'
import { selectReplays } from './replays.sql.ts'

/** How a replay of events stands. */
export interface ReplayState {
  readonly id: string
  /** `ended`: nothing more is sent. The others as for the webhook. */
  readonly state: 'active' | 'held' | 'paused' | 'ended'
  /** Why it is held, or has ended early, in one word. */
  readonly reason: string | null
  readonly from: number
  readonly to: number
  /** How many events of the range it sends; null: all that the webhook wants. */
  readonly chosen: number | null
  /** Everything up to this number is done. */
  readonly position: number
  readonly delivered: number
  /** Events that the receiver has refused. */
  readonly failed: number
  /** Events that the feed had no longer. */
  readonly gone: number
  readonly createdAt: string
  readonly endedAt: string | null
}

/** How many replays are shown. */
const mostShown = 10

/** The replays of a webhook that have not ended, then those that have, the newest first: ten at most. */
export async function readReplays(database: Database, organizationId: string, id: string): Promise<ReplayState[]> {
  const rows = await database.search(selectReplays, [organizationId, id, mostShown])
  return rows.map(shown)
}

function shown(row: Row): ReplayState {
  const { state } = row
  const known = state === 'held' || state === 'paused' || state === 'ended' ? state : 'active'
  return {
    id: String(row.id),
    state: known,
    reason: known === 'active' || typeof row.reason !== 'string' ? null : row.reason,
    from: Number(row.from_seq),
    to: Number(row.to_seq),
    chosen: row.chosen === null ? null : Number(row.chosen),
    position: Number(row.settled_seq),
    delivered: Number(row.delivered),
    failed: Number(row.failed),
    gone: Number(row.gone),
    createdAt: String(row.created_at),
    endedAt: known === 'ended' ? String(row.changed_at) : null,
  }
}
