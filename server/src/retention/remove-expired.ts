import { defineUpkeep, organizationsWith } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { emptyAnswerSlots } from './answers.ts'
import { removeAuditEntries } from './audit-entries.ts'
import { removeChangeKeys } from './change-keys.ts'
import { removeChanges } from './changes.ts'

const organizationsWithFeed = organizationsWith('organization_feed')

/**
 * Removes data that is older than its retention, in short steps that hold no lock for which a write waits. Partitions of stored answers
 * that are in use throughout, as by a backup, are skipped. Concurrent runs are safe.
 */
export const removeExpired = defineUpkeep({
  name: 'retention',
  async run({ clock, database, retention }, signal) {
    const { removed: answers, skipped } = await emptyAnswerSlots(database, retention.answers)
    let [changes, changeKeys, auditEntries, requestCounts] = [0, 0, 0, 0]
    const oldestChange = clock.now() - retention.changes * 1000
    const oldestEntry = clock.now() - retention.auditEntries * 1000
    for await (const id of organizationsWithFeed(database, signal)) {
      changes += await removeChanges(database, id, oldestChange, signal)
      changeKeys += await removeChangeKeys(database, id, oldestChange, signal)
      auditEntries += await removeAuditEntries(database, id, oldestEntry, signal)
      requestCounts += await removeRequestCounts(database, id, clock.now())
    }
    return { removed: { answers, changes, changeKeys, auditEntries, requestCounts }, skipped }
  },
})

const keptDays = 90

// An application has one row per day, and the cleanup runs often, so one short statement removes the rows of all applications.
const removeCounts = statement(
  'remove_request_counts',
  'delete from request_counts r where r.organization_id = $1 and r.day < $2::date returning 1',
)

/** Removes an organization's request counts for days more than 90 days before the time `now`. */
async function removeRequestCounts(database: Database, organizationId: string, now: number): Promise<number> {
  const oldest = new Date(now - keptDays * 86_400_000).toISOString().slice(0, 10)
  return (await database.query(removeCounts, [organizationId, oldest])).length
}
