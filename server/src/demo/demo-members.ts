import { newId } from '../kernel/schema/index.ts'
import {
  addMember,
  addNewUser,
  createSignInLink,
  findUser,
  linkAddress,
  listMembers,
  MayNotJoin,
} from '../people/index.ts'
import { type Administration, UnknownSetting } from '../settings/index.ts'
import { demoOrganizationId as organizationId } from './identity.ts'
import { operators, sampleMembers } from './sample/sample-configuration.ts'

/**
 * Makes three of the operators members of the demo organization, if it has none. Their accounts stay when the organization is reset. An
 * account that may not join, as an inactive one, is left out.
 */
export async function ensureDemoMembers(administration: Administration): Promise<void> {
  const members = await listMembers(administration.database, organizationId, 0)
  if (members.some(({ state }) => state === 'member')) return
  for (const { email, role } of sampleMembers) {
    const name = operators.find(operator => operator.email === email)?.name ?? email
    const known = await accountOf(administration, email)
    const user = known ?? { id: newId(), email, name }
    await addMember(administration, { organizationId, user, role }, async transaction => {
      if (known === null) await addNewUser(administration, user, transaction)
    }).catch((error: unknown) => {
      if (!(error instanceof MayNotJoin)) throw error
    })
  }
}

/** The address of a link that signs in as the owner of the demo organization; null if there is no demo organization, or no active owner. */
export async function demoLink(administration: Administration, address: string): Promise<string | null> {
  const owner = await findDemoOwner(administration)
  if (owner === null) return null
  const { text } = await createSignInLink(administration, owner.email)
  return linkAddress(address, 'sign_in', text)
}

/** The active owner of the demo organization; null if there is none. */
export async function findDemoOwner({
  database,
}: Pick<Administration, 'database'>): Promise<{ readonly email: string } | null> {
  const members = await listMembers(database, organizationId, 0)
  return members.find(({ role, active, userId }) => role === 'owner' && active && userId !== null) ?? null
}

async function accountOf(administration: Administration, email: string) {
  return findUser(administration.database, email).catch((error: unknown) => {
    if (error instanceof UnknownSetting) return null
    throw error
  })
}
