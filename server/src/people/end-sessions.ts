import { raisePeopleGeneration } from '../kernel/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'

/** Ends the sessions of a user, except one. $1 user, $2 the id of that one, or null for none. */
const endSessionsOf = statement(
  'end_sessions_of_user',
  'delete from sessions s where s.user_id = $1 and s.id is distinct from $2::uuid returning 1',
)

/**
 * Ends all sessions of a user, except the given one: for whatever changes a password, an e-mail address, a role or the state of a user. It
 * takes effect in every process within a second. Returns how many sessions ended.
 */
export async function endSessions(userId: string, except: string | null, transaction: Transaction): Promise<number> {
  const ended = await transaction.query(endSessionsOf, [userId, except])
  await transaction.query(raisePeopleGeneration, [])
  return ended.length
}
