import type { MemberRole } from '../kernel/auth/index.ts'
import { newId } from '../kernel/schema/index.ts'
import type { Transaction } from '../kernel/sql/index.ts'
import { type Administration, AdministrationError } from '../settings/index.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { type CreatedLink, createLink } from './links/create-link.ts'
import { findAnyUser, lockInstallation } from './links/links.sql.ts'
import { addMember } from './members.ts'
import { type Person, tidyPerson } from './person.rules.ts'
import { findUser, type ShownUser } from './show-users.ts'
import { lockUserToChange } from './users.sql.ts'
import { addNewUser, clockOf, note } from './users.ts'

/**
 * Makes a user, in an organization if one is given, with a link that lets the person choose a password. Who uses it counts as proven. Throws
 * like `addUser` and `addMember`.
 */
export async function createUserWithLink(
  administration: Administration,
  person: Person,
  membership: { readonly organizationId: string; readonly role: MemberRole } | null,
): Promise<{ readonly id: string } & CreatedLink> {
  const user = { id: newId(), ...tidyPerson(person) }
  const add = (transaction: Transaction) => addNewUser(administration, user, transaction)
  if (membership === null) await inOneTransaction(administration.database, add)
  else await addMember(administration, { user, ...membership }, add)
  return { id: user.id, ...(await linkOf(administration, 'invitation', user)) }
}

/** Makes a link with which a user chooses another password. Throws an `AdministrationError` for an unknown user, and for an inactive one. */
export async function createResetLink(administration: Administration, text: string): Promise<CreatedLink> {
  const user = await findUser(administration.database, text)
  if (!user.active) throw new AdministrationError(`the user ${user.email} is not active: user set --active`)
  return linkOf(administration, 'reset', user)
}

/** Makes a link that signs in as this user. */
export async function createSignInLink(administration: Administration, text: string): Promise<CreatedLink> {
  return linkOf(administration, 'sign_in', await findUser(administration.database, text))
}

/** Makes a link that founds the first organization with its owner; null if there is a user already. */
export async function createFirstLink(administration: Administration): Promise<CreatedLink | null> {
  const now = clockOf(administration).now()
  return inOneTransaction(administration.database, async transaction => {
    await transaction.query(lockInstallation, [])
    if ((await transaction.query(findAnyUser, [])).length > 0) return null
    return createLink({ kind: 'first', email: null, name: null }, now, transaction)
  })
}

async function linkOf(
  administration: Administration,
  kind: 'sign_in' | 'invitation' | 'reset',
  { id: userId, email, name }: Pick<ShownUser, 'id' | 'email' | 'name'>,
): Promise<CreatedLink> {
  const now = clockOf(administration).now()
  return inOneTransaction(administration.database, async transaction => {
    await transaction.query(lockUserToChange, [userId])
    const link = await createLink({ kind, email, name, userId }, now, transaction)
    await note(administration, userId, 'link_created', { kind }, transaction)
    return link
  })
}
