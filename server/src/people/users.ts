import { type Clock, raisePeopleGeneration, systemClock } from '../kernel/index.ts'
import { newId } from '../kernel/schema/index.ts'
import type { Transaction } from '../kernel/sql/index.ts'
import { type Administration, AdministrationError, noSuch } from '../settings/index.ts'
import { type AccountEventName, noteAccountEvent } from './account-events.ts'
import { peopleBounds } from './bounds.ts'
import { endSessions } from './end-sessions.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { removeMember } from './members.ts'
import { expectFreeForOperators, readdressOperators } from './operators-of-user.ts'
import { inspectPerson, type Person, tidyPerson } from './person.rules.ts'
import { findUser, membershipsOf } from './show-users.ts'
import {
  deleteLinksOfUser,
  deleteRecoveryCodes,
  deleteUser,
  findUserWithEmail,
  insertUser,
  lockUserToChange,
  updateUser,
} from './users.sql.ts'

export interface NewUser extends Person {
  readonly id?: string
  readonly isProven?: boolean
  readonly passwordHash?: string | null
  readonly locale?: string
}

/**
 * Makes a user in a transaction. Throws an `AdministrationError` for an invalid address or name, an address that another user has, and an
 * installation that is full.
 */
export async function addUser(user: NewUser, now: number, transaction: Transaction): Promise<{ readonly id: string }> {
  const { email, name, isProven = false, passwordHash = null, locale = 'en', id = newId() } = tidyPerson(user)
  expectValid({ email, name })
  const values = [id, email, name, locale, new Date(now).toISOString(), isProven, passwordHash]
  if ((await transaction.query(insertUser, values)).length > 0) return { id }
  await expectFreeEmail(email, null, transaction)
  throw new AdministrationError(`the installation has ${peopleBounds.users.most} users, and cannot have more`)
}

/** Makes a user for the operator of the installation. A link lets the person choose a password. Throws like `addUser`. */
export async function addNewUser(
  administration: Administration,
  user: Person & { readonly id: string },
  transaction: Transaction,
): Promise<void> {
  await addUser(user, clockOf(administration).now(), transaction)
  await note(administration, user.id, 'user_created', { email: user.email }, transaction)
}

export interface UserChange extends Partial<Person> {
  readonly locale?: string
  readonly active?: boolean
  readonly proven?: boolean
  readonly removeSecondFactor?: boolean
}

/**
 * Changes a user. All sessions end, and links are no longer good, if the address, the state or the second factor changes. The operators that
 * the user is get the address, too. Throws an `AdministrationError` for an unknown user, an invalid value, and an address that another user
 * has, or another operator of an organization of the user; then nothing was changed.
 */
export async function setUser(
  administration: Administration,
  text: string,
  { removeSecondFactor = false, ...asked }: UserChange,
): Promise<{ readonly id: string }> {
  const { database } = administration
  const change = tidyPerson(asked)
  if (Object.values(change).every(value => value === undefined) && !removeSecondFactor)
    throw new AdministrationError('nothing to change was given')
  expectValid(change)
  const { id } = await findUser(database, text)
  const now = new Date(clockOf(administration).now()).toISOString()
  await inOneTransaction(database, async transaction => {
    const [before] = await transaction.query(lockUserToChange, [id])
    if (before === undefined) throw noSuch('user', text)
    const {
      email = String(before.email),
      name = String(before.name),
      locale = String(before.locale),
      active = before.active === true,
      proven = before.proven === true,
    } = change
    await expectFreeEmail(email, id, transaction)
    if (change.email !== undefined) await expectFreeForOperators(id, email, transaction)
    const values = [id, email, name, locale, active, proven, now, removeSecondFactor]
    // Another user may get the address after the check: the index of addresses decides.
    await transaction.query(updateUser, values).catch((error: unknown) => {
      throw isDuplicate(error) ? takenEmail(email) : error
    })
    if (removeSecondFactor) await transaction.query(deleteRecoveryCodes, [id])
    const isOther = email.toLowerCase() !== String(before.email).toLowerCase()
    if (isOther || !active) await transaction.query(deleteLinksOfUser, [id, before.email])
    if (isOther || !active || removeSecondFactor) await endSessions(id, null, transaction)
    else await transaction.query(raisePeopleGeneration, [])
    await note(administration, id, 'user_changed', { ...change, removeSecondFactor }, transaction)
  })
  if (change.email !== undefined) await readdressOperators(administration, id, change.email)
  return { id }
}

/**
 * Removes a user with all memberships; operators stay as inactive ones. Throws an `AdministrationError` for an unknown user, and for the last
 * owner of an organization: then nothing was removed.
 */
export async function removeUser(administration: Administration, text: string): Promise<{ readonly id: string }> {
  const { database } = administration
  const { id, email } = await findUser(database, text)
  const memberships = await membershipsOf(database, id)
  const needed = memberships.find(({ isOnlyOwner, role }) => role === 'owner' && isOnlyOwner)
  if (needed !== undefined) {
    const { organization } = needed
    throw new AdministrationError(`${email} is the only owner of ${organization}: make another member one first`)
  }
  for (const membership of memberships) await removeMember(administration, membership)
  await inOneTransaction(database, async transaction => {
    await transaction.query(lockUserToChange, [id])
    // Somebody may have made the user a member meanwhile; nobody can do so while the user is locked.
    if ((await membershipsOf(transaction, id)).length > 0)
      throw new AdministrationError(`${email} has become a member of an organization meanwhile: try again`)
    await transaction.query(deleteLinksOfUser, [id, email])
    await transaction.query(deleteUser, [id])
    await transaction.query(raisePeopleGeneration, [])
    await note(administration, id, 'user_removed', { email }, transaction)
  })
  return { id }
}

/** Ends all sessions of a user. Throws an `AdministrationError` for an unknown user. */
export async function signOutUser(
  administration: Administration,
  text: string,
): Promise<{ readonly id: string; readonly ended: number }> {
  const { database } = administration
  const { id } = await findUser(database, text)
  return inOneTransaction(database, async transaction => {
    const ended = await endSessions(id, null, transaction)
    await note(administration, id, 'sessions_ended', {}, transaction)
    return { id, ended }
  })
}

/** Notes in the log of accounts what a command has done. */
export async function note(
  administration: Administration,
  userId: string | null,
  event: AccountEventName,
  detail: Readonly<Record<string, unknown>>,
  transaction: Transaction,
): Promise<void> {
  const { author } = administration
  const by = author?.commandUser ?? author?.uuid ?? null
  const at = clockOf(administration).now()
  await noteAccountEvent({ userId, event, addressClass: null, detail: { ...detail, by }, at }, transaction)
}

export function clockOf({ clock = systemClock }: Pick<Administration, 'clock'>): Clock {
  return clock
}

function expectValid(person: Partial<Person>): void {
  const [issue] = inspectPerson(person)
  if (issue !== undefined) throw new AdministrationError(issue.message)
}

async function expectFreeEmail(email: string, ownId: string | null, transaction: Transaction): Promise<void> {
  const [other] = await transaction.query(findUserWithEmail, [email, ownId])
  if (other !== undefined) throw takenEmail(email)
}

function takenEmail(email: string): AdministrationError {
  return new AdministrationError(`another user has the e-mail address ${email}`)
}

/** Whether PostgreSQL refused a second row with a value that is unique. */
function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
