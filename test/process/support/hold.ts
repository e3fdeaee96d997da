import { type Database, type Statement, statement } from '../../../server/src/kernel/sql/index.ts'
import { until } from '../../support/waiting.ts'

const isWaiting = statement(
  'test_is_waiting',
  `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'crm-server' and wait_event_type = 'Lock'`,
)
const lockContact = statement('test_hold_contact', 'select 1 from contacts where id = $1 for update')
const lockDeal = statement('test_hold_deal', 'select 1 from deals where id = $1 for update')
const lockTask = statement('test_hold_task', 'select 1 from tasks where id = $1 for update')
const lockAgent = statement('test_hold_agent', 'select 1 from agents where id = $1 for update')

/** Keeps writes to a contact waiting until they are let go. */
export function holdContact(database: Database, contactId: unknown) {
  return hold(database, lockContact, contactId)
}

/** The same for a deal. */
export function holdDeal(database: Database, dealId: unknown) {
  return hold(database, lockDeal, dealId)
}

/** The same for a task. */
export function holdTask(database: Database, taskId: unknown) {
  return hold(database, lockTask, taskId)
}

/** The same for an agent. */
export function holdAgent(database: Database, agentId: unknown) {
  return hold(database, lockAgent, agentId)
}

async function hold(database: Database, lock: Statement, id: unknown) {
  const transaction = await database.begin()
  await transaction.query(lock, [id])
  return {
    waiting: () => until('a request that waits', async () => (await database.query(isWaiting, [])).length > 0),
    letGo: () => transaction.rollback(),
  }
}
