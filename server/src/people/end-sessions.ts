import { raisePeopleGeneration } from '../kernel/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'

/** Ends the sessions of a user, except one. $1 user, $2 the id of that one, or null for none. */
const endSessionsOf = statement(
  'end_sessions_of_user',
  'delete from sessions s where s.user_id = $1 and s.id is distinct from $2::uuid returning 1',
)

const endSession = statement('end_own_session', 'delete from sessions s where s.user_id = $1 and s.id = $2 returning 1')

/** Ends one session of a user. Returns whether there was such a session. */
export async function endSessionWithId(userId: string, id: string, transaction: Transaction): Promise<boolean> {
  const ended = await transaction.query(endSession, [userId, id])
  if (ended.length === 0) return false
  await transaction.query(raisePeopleGeneration, [])
  return true
}

/**
 * Ends all sessions of a user, except the given one: for whatever changes a password, an e-mail address, a role or the state of a user. It
 * takes effect in every process within a second. Returns how many sessions ended.
 */
export async function endSessions(userId: string, except: string | null, transaction: Transaction): Promise<number> {
  const ended = await transaction.query(endSessionsOf, [userId, except])
  await transaction.query(raisePeopleGeneration, [])
  return ended.length
}
