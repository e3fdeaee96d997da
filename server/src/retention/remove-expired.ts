import type { Retention } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { emptyAnswerSlots } from './answers.ts'
import { removeAuditEntries } from './audit-entries.ts'
import { removeChangeKeys } from './change-keys.ts'
import { removeChanges } from './changes.ts'

/** How much one run has removed, and what it could not reach. */
export interface Removed {
  readonly answers: number
  readonly changes: number
  readonly changeKeys: number
  readonly auditEntries: number
  /** Partitions that were in use all the time, as by a backup; the next run empties them. */
  readonly skipped: readonly string[]
}

// The next organizations that have a feed, in the order of their ids: $1 is the id behind which they are looked for.
const selectOrganizations = statement(
  'select_organizations_with_feed',
  'select f.organization_id as id from organization_feed f where f.organization_id > $1 order by f.organization_id limit 500',
)

const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Removes what is older than its retention, in steps that each take little time and hold no lock that a write waits for. Whoever
 * ends it loses nothing: the next run goes on. Runs at the same time do each other no harm.
 */
export async function removeExpired(database: Database, retention: Retention, now: number): Promise<Removed> {
  const { removed: answers, skipped } = await emptyAnswerSlots(database, retention.answers)
  let [changes, changeKeys, auditEntries] = [0, 0, 0]
  for (let last = beforeAll; ; ) {
    const organizations = await database.query(selectOrganizations, [last])
    for (const { id } of organizations) {
      last = String(id)
      changes += await removeChanges(database, last, now - retention.changes * 1000)
      changeKeys += await removeChangeKeys(database, last, now - retention.changes * 1000)
      auditEntries += await removeAuditEntries(database, last, now - retention.auditEntries * 1000)
    }
    if (organizations.length === 0) return { answers, changes, changeKeys, auditEntries, skipped }
  }
}
