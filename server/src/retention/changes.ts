import { type Database, statement } from '../kernel/sql/index.ts'
import { portion } from './portion.ts'

// Finds the first event to keep, within one portion: the first one that is young enough. Events are numbered in the order of their commits,
// and their times may be some seconds out of that order, so everything after a young event is kept. If the first event is young, no other
// is read.
const selectCut = statement(
  'select_change_cut',
  `select old.oldest_seq,
          coalesce(min(old.seq) filter (where old.occurred_at >= $2::timestamptz), max(old.seq) + 1) as cut
     from (select f.oldest_seq, c.seq, c.occurred_at
             from organization_feed f
             join changes c on c.organization_id = $1 and c.seq >= f.oldest_seq
            where f.organization_id = $1
              and (select first.occurred_at from changes first
                    where first.organization_id = $1 and first.seq >= f.oldest_seq
                    order by first.seq limit 1) < $2::timestamptz
            order by c.seq limit $3) as old
    group by old.oldest_seq`,
)

const removeBetween = statement(
  'remove_changes',
  `with removed as (
     delete from changes c where c.organization_id = $1 and c.seq >= $2::bigint and c.seq < $3::bigint returning 1)
   select count(*) from removed`,
)

// As in a write, the lock of the feed is taken last and held only for the commit.
const raiseOldest = statement(
  'raise_oldest_change',
  'update organization_feed f set oldest_seq = $2::bigint where f.organization_id = $1 and f.oldest_seq < $2::bigint',
)

/** Removes the events of an organization before the first one that is not older than `before`: always a whole prefix. */
export async function removeChanges(
  database: Database,
  organizationId: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const time = new Date(before).toISOString()
  let removed = 0
  while (!signal.aborted) {
    const [found] = await database.query(selectCut, [organizationId, time, portion])
    if (found === undefined || found.cut === found.oldest_seq) return removed
    removed += await removePortion(database, [organizationId, found.oldest_seq, found.cut])
  }
  return removed
}

async function removePortion(database: Database, [organizationId, from, to]: readonly unknown[]): Promise<number> {
  const transaction = await database.begin()
  try {
    const [gone] = await transaction.query(removeBetween, [organizationId, from, to])
    await transaction.commit(transaction.query(raiseOldest, [organizationId, to]))
    return Number(gone?.count)
  } finally {
    await transaction.rollback()
  }
}
