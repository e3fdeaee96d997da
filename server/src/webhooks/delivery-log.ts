import type { Database, Row } from '../kernel/sql/index.ts'
import { selectLatestFailures, selectLatestRuns } from './log.sql.ts'

/** One call of the receiver of a webhook. */
export interface LoggedDelivery {
  /** Number of the event in the feed. */
  readonly seq: number
  /** null if the feed no longer has the event. */
  readonly kind: string | null
  readonly recordId: string | null
  readonly outcome: 'delivered' | 'failed'
  /** 1 for the first call of this event. null for a delivery: its failed calls have the numbers before. */
  readonly attempt: number | null
  /** The status of the answer; null if there was none. */
  readonly status: number | null
  /** Why there was no answer, in one word; null if there was one. */
  readonly failure: string | null
  /** The beginning of a failed answer, at most 1,024 bytes; null without one, and if its record was erased. */
  readonly answer: string | null
  readonly milliseconds: number
  /** The replay that has made it; null: the webhook itself. */
  readonly replayId: string | null
  /** When the call began. */
  readonly at: string
}

interface LogSearch {
  readonly organizationId: string
  readonly id: string
  /** Failed calls alone. */
  readonly isFailed: boolean
  readonly most: number
}

/** The latest calls of the receiver of a webhook, of the last 30 days, the newest first. */
export async function latestDeliveries(
  database: Database,
  { organizationId, id, isFailed, most }: LogSearch,
): Promise<LoggedDelivery[]> {
  const values = [organizationId, id, most]
  const failures = await database.search(selectLatestFailures, values)
  const delivered = isFailed ? [] : await database.search(selectLatestRuns, values)
  const all = [...failures.map(row => logged(row, 'failed')), ...delivered.map(row => logged(row, 'delivered'))]
  return all.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at) || other.seq - one.seq).slice(0, most)
}

function logged(row: Row, outcome: LoggedDelivery['outcome']): LoggedDelivery {
  const { seq, kind, resource_id: recordId, attempt, status, failure, took, replay_id: replayId, at } = row
  return {
    seq: Number(seq),
    kind: textIn(kind),
    recordId: textIn(recordId),
    outcome,
    attempt: typeof attempt === 'number' ? attempt : null,
    status: typeof status === 'number' ? status : null,
    failure: typeof status === 'number' ? null : textIn(failure),
    answer: textIn(row.answer),
    milliseconds: Number(took),
    replayId: textIn(replayId),
    at: String(at),
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
