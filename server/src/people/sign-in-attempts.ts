import { hash } from 'node:crypto'
import type { Services } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'

/** After so many failures the next attempt has to wait. */
const freeAttempts = 5
const longestWaitSeconds = 900

/**
 * Counts an attempt before its password is looked at, so that many at once are counted, too. After five, each waits twice as long as the
 * one before, up to a quarter of an hour; after a day without one, counting begins anew. $1 account, $2 where it comes from, $3 now. No row:
 * it has to wait.
 */
const countAttempt = statement(
  'count_sign_in_attempt',
  `insert into sign_in_failures as f (account_hash, origin, failures, last_failed_at, next_attempt_at)
   values ($1, $2, 1, $3, $3)
       on conflict (account_hash, origin) do update
      set failures = case when f.last_failed_at < $3::timestamptz - interval '1 day' then 1 else f.failures + 1 end,
          last_failed_at = $3,
          next_attempt_at = case
            when f.last_failed_at < $3::timestamptz - interval '1 day' or f.failures + 1 < ${freeAttempts} then $3::timestamptz
            else $3::timestamptz + least(${longestWaitSeconds}, 2 ^ least(f.failures + 1 - ${freeAttempts - 1}, 20)) * interval '1 second'
          end
    where f.next_attempt_at <= $3
   returning f.failures`,
)

const selectNextAttempt = statement(
  'select_next_sign_in_attempt',
  'select f.next_attempt_at from sign_in_failures f where f.account_hash = $1 and f.origin = $2',
)

const forgetFailures = statement(
  'forget_sign_in_failures',
  'delete from sign_in_failures f where f.account_hash = $1 and f.origin = $2',
)

/** Whose password is tried, and where from: a class of addresses, a browser that signed in before, or a session. */
export interface SignInAttempt {
  readonly account: Buffer
  readonly origin: string
}

/** What attempts on an account are counted by: whether or not there is such an account. */
export function accountHash(email: string): Buffer {
  return hash('sha256', email.trim().toLowerCase(), 'buffer')
}

/** Counts an attempt. Returns null if it may be made now, else the time in milliseconds from which on it may. */
export async function beginAttempt(
  { account, origin }: SignInAttempt,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<number | null> {
  const now = new Date(clock.now()).toISOString()
  const counted = await database.query(countAttempt, [account, origin, now])
  if (counted.length > 0) return null
  const [row] = await database.query(selectNextAttempt, [account, origin])
  return row === undefined ? clock.now() : Date.parse(String(row.next_attempt_at))
}

/** Forgets the failures from there, after an attempt that succeeded. */
export async function forgetAttempts(
  { account, origin }: SignInAttempt,
  { database }: Pick<Services, 'database'>,
): Promise<void> {
  await database.query(forgetFailures, [account, origin])
}
