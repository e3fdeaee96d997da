import {
  bounds,
  type Caller,
  limits,
  type Outcome,
  type Refusal,
  type Services,
  writeCursor,
} from '../../kernel/index.ts'
import type { Reader } from '../../kernel/sql/index.ts'
import { type Change, toChange } from './change.ts'
import { type CursorPosition, expiredCursor } from './expired-cursor.ts'
import { type ChangeRow, selectChanges } from './feed.sql.ts'

export const feedPath = '/api/v1/crm/changes'

/** The epoch with which every installation starts, and that of cursors from releases without epochs. */
export const firstEpoch = 1

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

interface Asked extends CursorPosition {
  readonly types: readonly string[]
  readonly limit?: unknown
}

/** The number of the last event that a page from this position looks at: events that the filters exclude cost work too. */
export const lastSeqFrom = ({ fromSeq }: Pick<CursorPosition, 'fromSeq'>): number => fromSeq + bounds.feedScan.most

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
  const refusal = expiredCursor(rows[0], position, retention.changes)
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
