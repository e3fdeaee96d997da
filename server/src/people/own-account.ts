import { addressBucket, addressClass, type SignedIn } from '../kernel/auth/index.ts'
import { violates } from '../kernel/errors/index.ts'
import { Refusal, raisePeopleGeneration, refuse } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { type AccountEventName, noteAccountEvent } from './account-events.ts'
import { endSessions, endSessionWithId } from './end-sessions.ts'
import { inspectNewPassword } from './new-password.ts'
import { type OwnCredentials, withOwnPassword } from './own-password.ts'
import { describeFactor, makeRecoveryCodes, sealFactor, stepOf } from './second-factor.ts'
import type { SignInServices, StartedSession, Visitor } from './sign-in.ts'
import { startSession } from './start-session.ts'

const updateAccount = statement(
  'update_own_account',
  `update users u
      set name = coalesce($2, u.name), locale = coalesce($3, u.locale), updated_at = $4
    where u.id = $1`,
)

const setPassword = statement(
  'set_own_password',
  'update users u set password_hash = $3, updated_at = $4 where u.id = $1 and u.password_hash = $2 returning u.id',
)

const setFactor = statement(
  'set_second_factor',
  'update users u set totp_secret = $2, totp_last_step = $3, updated_at = $4 where u.id = $1 returning u.id',
)

/** Who changes the own account, and where. */
export interface OwnChange {
  readonly signedIn: SignedIn
  readonly visitor: Pick<Visitor, 'address' | 'browser'>
}

/** Changes the name or the language of a user. */
export async function changeOwnAccount(
  { user }: SignedIn,
  { name, locale }: { readonly name?: string | undefined; readonly locale?: string | undefined },
  services: SignInServices,
): Promise<void> {
  const transaction = await services.database.begin()
  try {
    const now = new Date(services.clock.now()).toISOString()
    await transaction.query(updateAccount, [user.id, name ?? null, locale ?? null, now])
    await transaction.query(raisePeopleGeneration, [])
    await transaction.commit()
  } finally {
    await transaction.rollback()
    services.authentication.sessions.forget()
  }
}

/**
 * Changes the password of a user who knows the current one, and has the second factor if there is one. All sessions end; a new one begins
 * here.
 */
export async function changePassword(
  { signedIn, visitor }: OwnChange,
  credentials: OwnCredentials & { readonly newPassword: string },
  services: SignInServices,
): Promise<StartedSession | Refusal> {
  const { user } = signedIn
  const refusal = await inspectNewPassword(credentials.newPassword, user, '/newPassword')
  if (refusal !== null) return refusal
  const now = new Date(services.clock.now()).toISOString()
  const changed = await withOwnPassword(signedIn, credentials, visitor.address, services, {
    // Attempts are limited before it: to hash is work.
    make: () => services.passwords.hash(credentials.newPassword, addressBucket(visitor.address)),
    async change(transaction, former, passwordHash) {
      const rows = await transaction.query(setPassword, [user.id, former, passwordHash, now])
      return rows.length === 0
        ? refuse('sign_in_refused')
        : beginAnew('password_changed', { signedIn, visitor }, transaction, services)
    },
  })
  if (!(changed instanceof Refusal)) services.authentication.sessions.forget()
  return changed
}

/** The secret that this session offers for a second factor, for an application of codes. Nothing is stored until it is confirmed. */
export function offerFactor(
  { session, user }: SignedIn,
  { secret }: Pick<SignInServices, 'secret'>,
): Promise<{ secret: string; uri: string }> {
  return describeFactor(secret.offeredFactor(session.id), user.email)
}

/**
 * Makes the offered secret the second factor of a user who shows a code of it. Returns the recovery codes, and the session that begins in
 * the place of all others.
 */
export async function confirmFactor(
  change: OwnChange,
  code: string,
  services: SignInServices,
): Promise<{ readonly recoveryCodes: readonly string[]; readonly started: StartedSession } | Refusal> {
  const { signedIn } = change
  const { user } = signedIn
  const { secret } = await offerFactor(signedIn, services)
  const step = await stepOf(code.replaceAll(/\s/gu, ''), secret, services.clock.now())
  if (step === null) return violates('/code', 'wrong_code', 'This is not the code that belongs to the secret now')
  const transaction = await services.database.begin()
  try {
    const now = new Date(services.clock.now()).toISOString()
    await transaction.query(setFactor, [user.id, sealFactor(secret, user.id, services), step, now])
    const recoveryCodes = await makeRecoveryCodes(user.id, transaction)
    const started = await beginAnew('second_factor_added', change, transaction, services)
    if (started instanceof Refusal) return started
    await transaction.commit()
    return { recoveryCodes, started }
  } finally {
    await transaction.rollback()
    services.authentication.sessions.forget()
  }
}

/**
 * Ends all sessions of the user and begins one here, so that a stolen secret is worth nothing. Refuses (401) if the session that asks
 * has ended meanwhile. The row of the user is locked by now, so that two such changes wait for each other.
 */
async function beginAnew(
  event: AccountEventName,
  { signedIn: { session, user }, visitor: { address, browser } }: OwnChange,
  transaction: Parameters<typeof endSessions>[2],
  { clock }: Pick<SignInServices, 'clock'>,
): Promise<StartedSession | Refusal> {
  if (!(await endSessionWithId(user.id, session.id, transaction))) return refuse('not_signed_in')
  const at = clock.now()
  await endSessions(user.id, null, transaction)
  const addressOf = addressClass(address)
  const begun = { userId: user.id, passwordHash: null, addressClass: addressOf, browser, at }
  const started = await startSession(begun, transaction)
  if (started === null) return refuse('not_signed_in')
  await noteAccountEvent({ userId: user.id, event, addressClass: addressOf, at }, transaction)
  return { userId: user.id, secret: started.secret }
}
