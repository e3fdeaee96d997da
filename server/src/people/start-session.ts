import { hash, randomBytes } from 'node:crypto'
import { type AddressClass, sessionTimes } from '../kernel/auth/index.ts'
import { raisePeopleGeneration } from '../kernel/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'

/**
 * $1 id, $2 hash of the secret, $3 user, $4 now, $5 class of the address, $6 browser, $7 end, $8 the password's hash that was looked at, or
 * null. The row of the user is locked: a change of the password or the state comes before, or ends the session.
 */
const insertSession = statement(
  'insert_session',
  `insert into sessions (id, secret_hash, user_id, created_at, seen_at, fresh_at, expires_at, address_class, browser)
   select $1, $2, u.id, $4, $4, $4, $7, $5, $6
     from users u
    where u.id = $3 and u.active and ($8::text is null or u.password_hash = $8)
      for share
   returning id`,
)

/** A user who signs in again and again has the last sessions. */
const mostSessions = 50

const endOldSessions = statement(
  'end_old_sessions',
  `delete from sessions s
    where s.user_id = $1
      and s.id in (select o.id from sessions o where o.user_id = $1 order by o.seen_at desc, o.id desc offset ${mostSessions})
   returning s.id`,
)

const endSession = statement('end_session', 'delete from sessions s where s.secret_hash = $1 returning s.user_id')

/** Whose session begins, and where. */
export interface NewSession {
  readonly userId: string
  /** The hash that the entered password was compared with; null where a link has stood for it. */
  readonly passwordHash: string | null
  readonly addressClass: AddressClass
  /** What the browser calls itself, in a few words. */
  readonly browser: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A secret for the browser, of 256 random bits, and the hash that is stored: one round of SHA-256 keeps such a secret safe. */
function newSecret(): { readonly secret: string; readonly secretHash: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretHash: hashSessionSecret(secret) }
}

function hashSessionSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Begins a session, and ends the oldest beyond 50 of the user; null if the user is not active any more, or has another password by now. */
export async function startSession(
  { userId, passwordHash, addressClass, browser, at }: NewSession,
  transaction: Transaction,
): Promise<{ readonly id: string; readonly secret: string } | null> {
  const { secret, secretHash } = newSecret()
  const id = newId()
  const [now, end] = [at, at + sessionTimes.absolute].map(time => new Date(time).toISOString())
  const values = [id, secretHash, userId, now, addressClass, browser, end, passwordHash]
  const rows = await transaction.query(insertSession, values)
  if (rows.length === 0) return null
  const ended = await transaction.query(endOldSessions, [userId])
  if (ended.length > 0) await transaction.query(raisePeopleGeneration, [])
  return { id, secret }
}

/** Ends the session with this secret. Returns its user, or null if there is none. */
export async function endSessionOf(secret: string, transaction: Transaction): Promise<string | null> {
  const [row] = await transaction.query(endSession, [hashSessionSecret(secret)])
  if (row === undefined) return null
  await transaction.query(raisePeopleGeneration, [])
  return String(row.user_id)
}
