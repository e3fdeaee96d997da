import { type Refusal, refuse } from '../../kernel/index.ts'
import type { ChangeRow } from './feed.sql.ts'

/** A position in the feed of an organization. */
export interface CursorPosition {
  /** The number of the last event before it. */
  readonly fromSeq: number
  readonly epoch: number
}

/**
 * Refuses a cursor with 410 if the next event is no longer kept, or if the position is of another epoch or beyond the head. Such a position
 * belongs to a history that this database does not have, because it was restored from a backup, or is a standby that was promoted while it
 * lagged behind. The feed will reach that number again, with other events than the consumer has seen. `first` is the first row of the page.
 */
export function expiredCursor(
  first: ChangeRow | undefined,
  { fromSeq, epoch }: CursorPosition,
  retentionSeconds: number,
): Refusal | null {
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
