import type { Database } from '../kernel/sql/index.ts'
import { webhookBounds } from './bounds.ts'
import { lastAttempt } from './outcome.rules.ts'
import { checkedRange, type NoReplay, type ReplayGround, type ReplayRange } from './replay-range.rules.ts'
import { selectFailedSince, selectFirstSince, selectLastUntil, selectReplayGround } from './replays.sql.ts'

/** A number of the feed, or a time in milliseconds. */
export type ReplayBound = { readonly seq: number } | { readonly time: number }

/** Which events are asked for. */
export type AskedReplay =
  | { readonly from: ReplayBound; readonly to?: ReplayBound | undefined }
  /** Those that the receiver has refused or that were given up since this time, and that it has not taken since. */
  | { readonly failedSince: number }

/** What a replay sends: the events of a range, or `only` these of it. */
export interface ReplayEvents extends ReplayRange {
  readonly only: readonly number[] | null
  readonly epoch: number
}

interface Place {
  readonly organizationId: string
  /** The webhook. */
  readonly id: string
}

/** Finds the events that were asked for; or says why there are none that can be sent. */
export async function eventsToReplay(
  database: Database,
  place: Place,
  asked: AskedReplay,
): Promise<ReplayEvents | NoReplay> {
  const [row] = await database.search(selectReplayGround, [place.organizationId, place.id])
  if (row === undefined) return { why: `no such webhook: ${place.id}` }
  const epoch = Number(row.epoch)
  const ground = {
    oldest: Number(row.oldest),
    head: Number(row.head),
    position: Number(row.position),
  }
  if (Number(row.position_epoch) !== epoch)
    return {
      why: 'the database was restored, and the webhook has not sent feed.reset to its receiver yet',
    }
  if ('failedSince' in asked) {
    const failed = await failedEvents(database, place, asked.failedSince, ground)
    return 'why' in failed ? failed : { ...failed, epoch }
  }
  const range = await rangeIn(database, place, asked, ground)
  return 'why' in range ? range : { ...range, only: null, epoch }
}

async function rangeIn(
  database: Database,
  { organizationId }: Place,
  { from, to }: Extract<AskedReplay, { readonly from: ReplayBound }>,
  ground: ReplayGround,
): Promise<ReplayRange | NoReplay> {
  const seqAt = async (time: number, find: typeof selectFirstSince) => {
    const [row] = await database.search(find, [organizationId, new Date(time).toISOString()])
    return row === undefined || row.seq === null ? null : Number(row.seq)
  }
  const fromSeq = 'seq' in from ? from.seq : await seqAt(from.time, selectFirstSince)
  if (fromSeq === null) return { why: 'the feed has no event since that time' }
  if (to === undefined) return checkedRange({ fromSeq }, ground)
  if ('seq' in to) return checkedRange({ fromSeq, toSeq: to.seq }, ground)
  const toSeq = await seqAt(to.time, selectLastUntil)
  if (toSeq === null || toSeq < fromSeq) return { why: 'the feed has no event between these times' }
  return checkedRange({ fromSeq, toSeq: Math.max(fromSeq, Math.min(toSeq, ground.position)) }, ground)
}

async function failedEvents(
  database: Database,
  { organizationId, id }: Place,
  since: number,
  ground: ReplayGround,
): Promise<Omit<ReplayEvents, 'epoch'> | NoReplay> {
  const { oldest, head, position } = ground
  const { most } = webhookBounds.replayedFailures
  const time = new Date(since).toISOString()
  const values = [organizationId, id, time, lastAttempt, position, most + 1]
  const rows = await database.search(selectFailedSince, values)
  if (rows.length > most) return { why: `more than ${most} events have failed: replay a range of them` }
  const failed = rows.map(({ seq }) => Number(seq))
  const only = failed.filter(seq => seq >= oldest)
  const [fromSeq] = only
  const toSeq = only.at(-1)
  if (fromSeq !== undefined && toSeq !== undefined) return { fromSeq, toSeq, only }
  if (failed.length === 0) return { why: 'no event that has failed since that time is still undelivered' }
  return { why: `the feed no longer has the ${failed.length} events that have failed: it has ${oldest} to ${head}` }
}
