import { Overloaded } from '../kernel/admission/index.ts'
import type { Services } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'

/** The seconds to wait after the first failure, the second and so on; after the last one as long again each time. */
const waitSeconds = [0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]

/** What attempts are counted by, whether or not there is such an account: addresses that find one account count together. */
const accountHash = "sha256(convert_to(lower($1::text), 'UTF8'))"

/**
 * Counts an attempt before its password is looked at, so that many at once are counted, too. After a day without one, counting begins
 * anew. $1 address of the account, $2 where it comes from, $3 now, $4 when the next attempt may be made after one failure, two and so on.
 * No row: it has to wait. The times are given, because a cluster refuses an upsert that adds an interval to a time.
 */
const countAttempt = statement(
  'count_sign_in_attempt',
  `insert into sign_in_failures as f (account_hash, origin, failures, last_failed_at, next_attempt_at)
   values (${accountHash}, $2, 1, $3, ($4::timestamptz[])[1])
       on conflict (account_hash, origin) do update
      set failures = case when $3::timestamptz - f.last_failed_at > interval '1 day' then 1 else f.failures + 1 end,
          last_failed_at = $3,
          next_attempt_at = ($4::timestamptz[])[
            case when $3::timestamptz - f.last_failed_at > interval '1 day' then 1 else least(f.failures + 1, ${waitSeconds.length}) end]
    where f.next_attempt_at <= $3
   returning f.failures`,
)

const selectNextAttempt = statement(
  'select_next_sign_in_attempt',
  `select f.next_attempt_at from sign_in_failures f where f.account_hash = ${accountHash} and f.origin = $2`,
)

const forgetFailures = statement(
  'forget_sign_in_failures',
  `delete from sign_in_failures f where f.account_hash = ${accountHash} and f.origin = $2`,
)

// An attempt that came after it keeps what it has counted.
const takeBack = statement(
  'take_back_sign_in_attempt',
  `update sign_in_failures f
      set failures = f.failures - 1, next_attempt_at = $4
    where f.account_hash = ${accountHash} and f.origin = $2 and f.failures = $3`,
)

/** Whose password is tried, and where from: a class of addresses, a browser that signed in before, or a session. */
export interface SignInAttempt {
  readonly email: string
  readonly origin: string
}

/** An attempt that was counted and may be made. */
export interface CountedAttempt extends SignInAttempt {
  /** How many there are since the last one that succeeded. */
  readonly failures: number
}

/** Counts an attempt. Returns it if it may be made now, else the time in milliseconds from which on it may. */
export async function beginAttempt(
  { email, origin }: SignInAttempt,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<CountedAttempt | number> {
  const now = clock.now()
  const next = waitSeconds.map(seconds => new Date(now + seconds * 1000).toISOString())
  const [counted] = await database.query(countAttempt, [email.trim(), origin, new Date(now).toISOString(), next])
  if (counted !== undefined) return { email, origin, failures: Number(counted.failures) }
  const [row] = await database.query(selectNextAttempt, [email.trim(), origin])
  return row === undefined ? clock.now() : Date.parse(String(row.next_attempt_at))
}

/** Forgets the failures from there, after an attempt that succeeded. */
export async function forgetAttempts(
  { email, origin }: SignInAttempt,
  { database }: Pick<Services, 'database'>,
): Promise<void> {
  await database.query(forgetFailures, [email.trim(), origin])
}

/** Takes back an attempt in which nothing was tried. */
export async function takeBackAttempt(
  { email, origin, failures }: CountedAttempt,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<void> {
  await database.query(takeBack, [email.trim(), origin, failures, new Date(clock.now()).toISOString()])
}

/** Does work that may find no room, and takes the attempt back if it does: a full queue locks nobody out. */
export async function unlessOverloaded<Result>(
  attempt: CountedAttempt,
  services: Pick<Services, 'database' | 'clock'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Overloaded) await takeBackAttempt(attempt, services)
    throw error
  }
}
