import { addressClass, type SignedIn } from '../kernel/auth/index.ts'
import { Refusal } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { noteAccountEvent } from './account-events.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { type LookedAtLink, lookAtLink } from './links/look-at-link.ts'
import { useLink } from './links/use-link.ts'
import { hashNewPassword } from './new-password.ts'
import { useCode } from './second-factor.ts'
import { admitAttempt, refuseSignIn, type SignInServices, type StartedSession, type Visitor } from './sign-in.ts'
import { forgetAttempts } from './sign-in-attempts.ts'
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
  const isFactorProven = await proveFactor(looked, given.code, visitor, services)
  if (isFactorProven instanceof Refusal) return isFactorProven
  const { link: text, email, name, organizationName } = given
  const from = addressClass(visitor.address)
  const use = { text, signedInUserId, email, name, organizationName, passwordHash, isFactorProven, addressClass: from }
  const used = await useLink(use, services)
  if (used instanceof Refusal) return used
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

/** Uses the code of the second factor. Attempts are counted for the account and this way in. */
async function proveFactor(
  { needs, user }: LookedAtLink,
  code: string | undefined,
  { address }: Visitor,
  services: SignInServices,
): Promise<boolean | Refusal> {
  if (code === undefined || user === null || !needs.includes('code')) return false
  const attempt = await admitAttempt({ email: user.email, origin: 'link' }, address, services)
  if (attempt instanceof Refusal) return attempt
  const [row] = await services.database.query(findFactor, [user.id])
  const { id, email } = user
  const totpSecret = String(row?.totp_secret)
  const factor = await inOneTransaction(services.database, transaction =>
    useCode({ id, email, totpSecret }, code, transaction, services),
  )
  if (factor === null) return refuseSignIn(id, address, services)
  await forgetAttempts(attempt, services)
  return true
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
