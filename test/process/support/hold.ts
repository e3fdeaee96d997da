import { type Database, statement } from '../../../server/src/kernel/sql/index.ts'
import { until } from '../../support/waiting.ts'

const isWaiting = statement(
  'test_is_waiting',
  `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'crm-server' and wait_event_type = 'Lock'`,
)
const lockContact = statement('test_hold_contact', 'select 1 from contacts where id = $1 for update')

/** Keeps writes to a contact waiting until they are let go. */
export async function holdContact(database: Database, contactId: unknown) {
  const transaction = await database.begin()
  await transaction.query(lockContact, [contactId])
  return {
    waiting: () => until('a request that waits', async () => (await database.query(isWaiting, [])).length > 0),
    letGo: () => transaction.rollback(),
  }
}
