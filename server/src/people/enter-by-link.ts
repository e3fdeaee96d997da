import { addressClass, type SignedIn } from '../kernel/auth/index.ts'
import { Refusal } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { noteAccountEvent } from './account-events.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { type LookedAtLink, lookAtLink } from './links/look-at-link.ts'
import { type LinkUse, useLink } from './links/use-link.ts'
import { hashNewPassword } from './new-password.ts'
import { useCode } from './second-factor.ts'
import { admitAttempt, refuseSignIn, type SignInServices, type StartedSession, type Visitor } from './sign-in.ts'
import { type CountedAttempt, forgetAttempts, takeBackAttempt } from './sign-in-attempts.ts'
import { endSessionOf, startSession } from './start-session.ts'

const findFactor = statement('find_second_factor', 'select u.totp_secret from users u where u.id = $1 and u.active')

/** What a person gives with a link. */
export interface GivenWithLink {
  readonly link: string
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly organizationName?: string | undefined
}

/**
 * Uses a link, and begins a session of its user; null if it has added a membership to who is signed in, whose session goes on. Refuses as
 * `useLink` does, a bad new password (422), and a wrong code of the second factor as signing in does.
 */
export async function enterByLink(
  given: GivenWithLink,
  signedIn: SignedIn | null,
  visitor: Visitor,
  services: SignInServices,
): Promise<StartedSession | Refusal | null> {
  const signedInUserId = signedIn?.user.id ?? null
  const looked = await lookAtLink(given.link, signedInUserId, services)
  if (looked instanceof Refusal) return looked
  const passwordHash = await hashIfNeeded(looked, given, visitor, services)
  if (passwordHash instanceof Refusal) return passwordHash
  const attempt = await admitCode(looked, given.code, visitor, services)
  if (attempt instanceof Refusal) return attempt
  const { link: text, email, name, organizationName } = given
  const from = addressClass(visitor.address)
  const useFactor = useOfFactor(looked, given.code, services)
  const use = { text, signedInUserId, email, name, organizationName, passwordHash, useFactor, addressClass: from }
  const used = await useLink(use, services)
  if (used instanceof Refusal) return refused(used, looked, attempt, visitor, services)
  if (attempt !== null) await forgetAttempts(attempt, services)
  services.authentication.sessions.forget()
  // An invitation signs nobody in who has an account, and enters no password for anybody.
  if (looked.kind === 'invitation' && used.userId === signedInUserId) return null
  return begin(used.userId, visitor, services)
}

/** Hashes the password if the link sets one. Any other link ignores it. */
async function hashIfNeeded(
  { needs, user, email, name }: LookedAtLink,
  given: GivenWithLink,
  { address }: Visitor,
  services: SignInServices,
): Promise<string | Refusal | null> {
  if (given.password === undefined || !needs.includes('password')) return null
  const owner = { email: given.email ?? user?.email ?? email ?? '', name: given.name ?? name ?? '' }
  return hashNewPassword(given.password, owner, { path: '/password', address }, services)
}

/** Counts an attempt with a code, for the account and this way in; null if none is needed or given. */
async function admitCode(
  { needs, user }: LookedAtLink,
  code: string | undefined,
  { address }: Visitor,
  services: SignInServices,
): Promise<CountedAttempt | Refusal | null> {
  if (code === undefined || user === null || !needs.includes('code')) return null
  return admitAttempt({ email: user.email, origin: 'link' }, address, services)
}

/** Uses the code of the second factor, once the link is good: a code that is good once is not lost with one that is not. */
function useOfFactor(
  { needs, user }: LookedAtLink,
  code: string | undefined,
  services: SignInServices,
): LinkUse['useFactor'] {
  if (code === undefined || user === null || !needs.includes('code')) return null
  return async transaction => {
    const [row] = await transaction.query(findFactor, [user.id])
    if (row === undefined) return false
    const totpSecret = row.totp_secret
    // It was removed meanwhile.
    if (typeof totpSecret !== 'string') return true
    return (await useCode({ id: user.id, email: user.email, totpSecret }, code, transaction, services)) !== null
  }
}

/** Counts a wrong code as signing in does. An attempt that ended before its code was looked at is taken back. */
async function refused(
  refusal: Refusal,
  { user }: LookedAtLink,
  attempt: CountedAttempt | null,
  { address }: Visitor,
  services: SignInServices,
): Promise<Refusal> {
  if (attempt === null || user === null) return refusal
  if (refusal.code === 'sign_in_refused') return refuseSignIn(user.id, address, services)
  await takeBackAttempt(attempt, services)
  return refusal
}

async function begin(
  userId: string,
  { address, browser, secret: former }: Visitor,
  services: SignInServices,
): Promise<StartedSession | Refusal> {
  const at = services.clock.now()
  const from = addressClass(address)
  const started = await inOneTransaction(services.database, async transaction => {
    const begun = await startSession({ userId, passwordHash: null, addressClass: from, browser, at }, transaction)
    if (begun === null) return null
    if (former !== null) await endSessionOf(former, transaction)
    await noteAccountEvent({ userId, event: 'signed_in', addressClass: from, detail: { browser }, at }, transaction)
    return begun
  })
  if (former !== null) services.authentication.sessions.forget()
  return started === null ? refuseSignIn(userId, address, services) : { userId, secret: started.secret }
}
