import { type AddressClass, addressBucket, addressClass } from '../kernel/auth/index.ts'
import { Refusal, rateWindowSeconds, refuse, type Services } from '../kernel/index.ts'
import { type Row, statement } from '../kernel/sql/index.ts'
import { noteAccountEvent, noteRareAccountEvent } from './account-events.ts'
import { isOutdated, type Passwords } from './passwords.ts'
import { useCode } from './second-factor.ts'
import {
  beginAttempt,
  type CountedAttempt,
  forgetAttempts,
  type SignInAttempt,
  unlessOverloaded,
} from './sign-in-attempts.ts'
import { endSessionOf, startSession } from './start-session.ts'

const findAccount = statement(
  'find_account',
  'select u.id, u.email, u.active, u.password_hash, u.totp_secret from users u where lower(u.email) = lower($1)',
)

const renewHash = statement(
  'renew_password_hash',
  'update users u set password_hash = $3 where u.id = $1 and u.password_hash = $2',
)

/** What signing in needs of a process. */
export type SignInServices = Services & { readonly passwords: Passwords }

/** Who asks from where. */
export interface Visitor {
  readonly address: string
  /** What the browser calls itself, in a few words. */
  readonly browser: string
  /** The secret of the session that the browser has; null without one. */
  readonly secret: string | null
  /** The id of a browser that has signed in to an account before; null for any other. */
  knownBrowser(email: string): string | null
}

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string | undefined
}

/** A session that has begun. Its secret is for the browser alone. */
export interface StartedSession {
  readonly userId: string
  readonly secret: string
}

/** Failed attempts to sign in per minute and address. */
const failedSignInLimit = 30

/**
 * Signs a user in, and ends the session that the browser had. Refuses every wrong pair in the same words and after the same work, whether or
 * not there is such an account; and attempts that come too fast before they are looked at. Throws `Overloaded` if too many wait.
 */
export async function signIn(
  credentials: Credentials,
  visitor: Visitor,
  services: SignInServices,
): Promise<StartedSession | Refusal> {
  const { email } = credentials
  const origin = visitor.knownBrowser(email) ?? addressClass(visitor.address)
  const attempt = await admitAttempt({ email, origin }, visitor.address, services)
  if (attempt instanceof Refusal) return attempt
  const [account] = await services.database.query(findAccount, [email.trim()])
  const outcome = await unlessOverloaded(attempt, services, () =>
    checkPassword(account, credentials.password, visitor.address, services),
  )
  const userId = account === undefined ? null : String(account.id)
  if (outcome === null) return refuseSignIn(userId, visitor.address, services)
  const { passwordHash } = outcome
  const started = await begin(outcome.account, passwordHash, credentials.code, visitor, services)
  if (started === 'code is missing') return refuse('second_factor_required')
  if (started === null) return refuseSignIn(userId, visitor.address, services)
  await forgetAttempts(attempt, services)
  return started
}

/** Counts an attempt, and refuses it if its address or its account has had too many. */
export async function admitAttempt(
  attempt: SignInAttempt,
  address: string,
  services: SignInServices,
): Promise<CountedAttempt | Refusal> {
  const failures = await services.counters.add(failuresOf(address), 0)
  if (failures !== null && failures >= failedSignInLimit) {
    const details = { bucket: 'failed_sign_in', limit: failedSignInLimit, windowSeconds: rateWindowSeconds }
    return refuse('rate_limit_exceeded', { ...details, retryAfterSeconds: services.counters.secondsLeft() })
  }
  const next = await beginAttempt(attempt, services)
  if (typeof next !== 'number') return next
  const retryAfterSeconds = Math.max(1, Math.ceil((next - services.clock.now()) / 1000))
  return refuse('too_many_attempts', { retryAt: new Date(next).toISOString(), retryAfterSeconds })
}

/** The one refusal of everything that is wrong with a sign-in. It is counted for the address, and at most once a minute told of the account. */
export async function refuseSignIn(userId: string | null, address: string, services: SignInServices): Promise<Refusal> {
  await services.counters.add(failuresOf(address))
  const event = {
    userId,
    event: 'sign_in_failed',
    addressClass: addressClass(address),
    at: services.clock.now(),
  } as const
  await noteRareAccountEvent(event, services.database)
  return refuse('sign_in_refused')
}

function failuresOf(address: string): string {
  return `failed-sign-in:${addressBucket(address)}`
}

interface Account {
  readonly id: string
  readonly email: string
  readonly totpSecret: string | null
}

/** Compares the password, with a hash that nothing has if there is no account that may sign in. */
async function checkPassword(
  row: Row | undefined,
  password: string,
  address: string,
  { passwords, database }: SignInServices,
): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
  const stored = row?.active === true && typeof row.password_hash === 'string' ? row.password_hash : null
  const asker = addressBucket(address)
  const isRight = await passwords.matches(stored, password, asker)
  if (!isRight || stored === null || row === undefined) return null
  const account = {
    id: String(row.id),
    email: String(row.email),
    totpSecret: typeof row.totp_secret === 'string' ? row.totp_secret : null,
  }
  if (!isOutdated(stored)) return { account, passwordHash: stored }
  const renewed = await passwords.hash(password, asker)
  await database.query(renewHash, [account.id, stored, renewed])
  return { account, passwordHash: renewed }
}

/** Uses the code of the second factor and begins the session, in one transaction. */
async function begin(
  account: Account,
  passwordHash: string,
  code: string | undefined,
  { address, browser, secret: former }: Visitor,
  services: SignInServices,
): Promise<StartedSession | 'code is missing' | null> {
  const { id: userId, email, totpSecret } = account
  if (totpSecret !== null && code === undefined) return 'code is missing'
  const addressOf: AddressClass = addressClass(address)
  const at = services.clock.now()
  const transaction = await services.database.begin()
  try {
    const factor =
      totpSecret === null || code === undefined
        ? null
        : await useCode({ id: userId, email, totpSecret }, code, transaction, services)
    if (totpSecret !== null && factor === null) return null
    const started = await startSession({ userId, passwordHash, addressClass: addressOf, browser, at }, transaction)
    if (started === null) return null
    if (former !== null) await endSessionOf(former, transaction)
    const event = { userId, addressClass: addressOf, at }
    if (factor === 'recovery_code') await noteAccountEvent({ ...event, event: 'recovery_code_used' }, transaction)
    await noteAccountEvent({ ...event, event: 'signed_in', detail: { browser } }, transaction)
    await transaction.commit()
    if (former !== null) services.authentication.sessions.forget()
    return { userId, secret: started.secret }
  } finally {
    await transaction.rollback()
  }
}
