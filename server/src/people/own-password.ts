import { addressBucket, type SignedIn } from '../kernel/auth/index.ts'
import { Refusal, raisePeopleGeneration, refuse } from '../kernel/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'
import { useCode } from './second-factor.ts'
import { admitAttempt, refuseSignIn, type SignInServices } from './sign-in.ts'
import { forgetAttempts, unlessOverloaded } from './sign-in-attempts.ts'

const findOwnAccount = statement(
  'find_own_account',
  'select u.email, u.password_hash, u.totp_secret from users u where u.id = $1 and u.active',
)

const markFresh = statement('mark_session_fresh', 'update sessions s set fresh_at = $2 where s.id = $1 returning s.id')

/** The password of a signed-in user and, with a second factor, a code of it. */
export interface OwnCredentials {
  readonly password: string
  readonly code?: string | undefined
}

/** What is done when the password was right. */
export interface WithOwnPassword<Made, Result> {
  /** What takes its time, and holds no transaction. */
  make(): Promise<Made>
  /** The rest, in the transaction that has used the code. */
  change(transaction: Transaction, passwordHash: string, made: Made): Promise<Result | Refusal>
}

/**
 * Checks the password of a signed-in user once more, and the second factor if there is one; then does the work. Attempts are counted for the
 * session, so that strangers cannot keep the user from it. Refuses as signing in does.
 */
export async function withOwnPassword<Made, Result>(
  { session, user }: SignedIn,
  { password, code }: OwnCredentials,
  address: string,
  services: SignInServices,
  { make, change }: WithOwnPassword<Made, Result>,
): Promise<Result | Refusal> {
  const attempt = await admitAttempt({ email: user.email, origin: `session:${session.id}` }, address, services)
  if (attempt instanceof Refusal) return attempt
  const [row] = await services.database.query(findOwnAccount, [user.id])
  const stored = typeof row?.password_hash === 'string' ? row.password_hash : null
  const isRight = await unlessOverloaded(attempt, services, () =>
    services.passwords.matches(stored, password, addressBucket(address)),
  )
  if (!isRight || stored === null) return refuseSignIn(user.id, address, services)
  const totpSecret = typeof row?.totp_secret === 'string' ? row.totp_secret : null
  if (totpSecret !== null && code === undefined) return refuse('second_factor_required')
  const made = await unlessOverloaded(attempt, services, make)
  const transaction = await services.database.begin()
  try {
    if (totpSecret !== null) {
      const factor = await useCode({ id: user.id, email: user.email, totpSecret }, code ?? '', transaction, services)
      if (factor === null) return await refuseSignIn(user.id, address, services)
    }
    const result = await change(transaction, stored, made)
    if (result instanceof Refusal) return result
    await transaction.commit()
    await forgetAttempts(attempt, services)
    return result
  } finally {
    await transaction.rollback()
  }
}

/** Marks the session as one whose password was just entered. Returns since when, in milliseconds. */
export async function renewFreshness(
  signedIn: SignedIn,
  credentials: OwnCredentials,
  address: string,
  services: SignInServices,
): Promise<number | Refusal> {
  const now = services.clock.now()
  const renewed = await withOwnPassword(signedIn, credentials, address, services, {
    make: async () => null,
    async change(transaction) {
      const marked = await transaction.query(markFresh, [signedIn.session.id, new Date(now).toISOString()])
      if (marked.length === 0) return refuse('not_signed_in')
      await transaction.query(raisePeopleGeneration, [])
      return now
    },
  })
  if (!(renewed instanceof Refusal)) services.authentication.sessions.forget()
  return renewed
}
