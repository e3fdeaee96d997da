import { statement } from '../../../server/src/kernel/sql/index.ts'
import type { TestDatabase } from '../../support/database.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { until } from '../../support/waiting.ts'

const lockFeed = statement(
  'test_lock_feed_of_turns',
  'select f.seq from organization_feed f where f.organization_id = $1 for no key update',
)
const countWaiting = statement(
  'test_count_waiting_in_turn',
  `select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
)

/** Lets each begin when the one before it has decided and waits for the feed; then they end in this order. */
export async function endingInTurn(
  { database }: TestDatabase,
  { id }: TestOrganization,
  begin: readonly (() => Promise<string>)[],
): Promise<string[]> {
  const holder = await database.begin()
  const ends: Promise<string>[] = []
  try {
    await holder.query(lockFeed, [id])
    for (const each of begin) {
      ends.push(each())
      await until('all to wait for the feed', async () => {
        const [row] = await database.search(countWaiting, [])
        return row?.waiting === ends.length
      })
    }
  } finally {
    await holder.rollback()
  }
  return Promise.all(ends)
}
