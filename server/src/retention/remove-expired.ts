import { defineUpkeep } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { emptyAnswerSlots } from './answers.ts'
import { removeAuditEntries } from './audit-entries.ts'
import { removeChangeKeys } from './change-keys.ts'
import { removeChanges } from './changes.ts'

// The next organizations that have a feed, in the order of their ids: $1 is the id behind which they are looked for.
const selectOrganizations = statement(
  'select_organizations_with_feed',
  'select f.organization_id as id from organization_feed f where f.organization_id > $1 order by f.organization_id limit 500',
)

const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Removes what is older than its retention, in steps that each take little time and hold no lock that a write waits for. Partitions
 * of stored answers that were in use all the time, as by a backup, are skipped. Runs at the same time do each other no harm.
 */
export const removeExpired = defineUpkeep({
  name: 'retention',
  async run({ clock, database, retention }, signal) {
    const { removed: answers, skipped } = await emptyAnswerSlots(database, retention.answers)
    let [changes, changeKeys, auditEntries] = [0, 0, 0]
    const oldestChange = clock.now() - retention.changes * 1000
    const oldestEntry = clock.now() - retention.auditEntries * 1000
    for (let last: string | undefined = beforeAll; last !== undefined && !signal.aborted; ) {
      const organizations: string[] = (await database.query(selectOrganizations, [last])).map(({ id }) => String(id))
      for (const id of organizations) {
        changes += await removeChanges(database, id, oldestChange, signal)
        changeKeys += await removeChangeKeys(database, id, oldestChange, signal)
        auditEntries += await removeAuditEntries(database, id, oldestEntry, signal)
      }
      last = organizations.at(-1)
    }
    return { removed: { answers, changes, changeKeys, auditEntries }, skipped }
  },
})
