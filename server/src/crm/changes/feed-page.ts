import {
  bounds,
  type Caller,
  limits,
  type Outcome,
  type Refusal,
  refuse,
  type Services,
  writeCursor,
} from '../../kernel/index.ts'
import type { Reader } from '../../kernel/sql/index.ts'
import { type Change, toChange } from './change.ts'
import { type ChangeRow, selectChanges } from './feed.sql.ts'

export const feedPath = '/api/v1/crm/changes'

/** The epoch with which every installation starts, and that of cursors from releases without epochs. */
export const firstEpoch = 1

/** A position in the feed of an organization. */
interface Position {
  /** The number of the last event before it. */
  readonly fromSeq: number
  readonly epoch: number
}

/** The events after a position. */
export interface FeedPage extends Outcome {
  readonly data: readonly Change[]
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean; readonly range: FeedRange }
}

/** What a page covers. */
interface FeedRange {
  readonly fromSeq: number
  readonly toSeq: number
  readonly matched: number
  readonly filtered: number
}

interface Asked extends Position {
  readonly types: readonly string[]
  readonly limit?: unknown
}

/** The number of the last event that a page from this position looks at: events that the filters exclude cost work too. */
export const lastSeqFrom = ({ fromSeq }: Pick<Position, 'fromSeq'>): number => fromSeq + bounds.feedScan.most

/** What a cursor of the feed is good for. */
export function cursorScope({ entry, organization }: Pick<Caller, 'entry' | 'organization'>) {
  return { entry, organizationId: organization.id, route: feedPath, filters: {} }
}

/** Reads the events of these types after a position, or refuses a position that is not of this feed any more (410). */
export async function readFeedPage(
  { types, limit = limits.listDefault, ...position }: Asked,
  caller: Caller,
  reader: Reader,
  { database, secret, retention }: Pick<Services, 'database' | 'secret' | 'retention'>,
): Promise<FeedPage | Refusal> {
  const { fromSeq, epoch } = position
  const most = Number(limit)
  const lastSeq = lastSeqFrom(position)
  const values = [caller.organization.id, caller.keysOf, fromSeq, types, most, lastSeq]
  const rows = await database.query<ChangeRow>(selectChanges, values, reader)
  const refusal = expired(rows, position, retention.changes)
  if (refusal !== null) return refusal
  const events = rows.filter(row => row.seq !== null)
  const head = Number(rows[0]?.head ?? fromSeq)
  // A full page ends at its last event. Any other page covers everything up to the head, or up to the last number that it reads.
  const toSeq = events.length === most ? Number(events.at(-1)?.seq) : Math.min(head, lastSeq)
  const matched = events.length
  const range = { fromSeq, toSeq, matched, filtered: toSeq - fromSeq - matched }
  const nextCursor = writeCursor(secret, cursorScope(caller), { seq: toSeq, epoch })
  return { status: 200, data: events.map(toChange), meta: { nextCursor, hasMore: toSeq < head, range } }
}

/**
 * Refuses with 410 if the next event is no longer kept, or if the position is of another epoch or beyond the head. Such a position belongs
 * to a history that this database does not have, because it was restored from a backup, or is a standby that was promoted while it lagged
 * behind. The feed will reach that number again, with other events than the consumer has seen.
 */
function expired(rows: readonly ChangeRow[], { fromSeq, epoch }: Position, retentionSeconds: number): Refusal | null {
  const first = rows[0]
  if (first === undefined) return null
  const isKept = fromSeq + 1 >= Number(first.oldest) && fromSeq <= Number(first.head)
  if (isKept && epoch === Number(first.epoch)) return null
  return refuse('cursor_expired', {
    oldestSeq: Number(first.oldest),
    oldestAt: first.oldest_at,
    retentionSeconds,
    resync: 'take /changes/cursor first, then list all, then continue from the cursor',
  })
}
