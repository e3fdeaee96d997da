import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { Refusal, systemClock } from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { createOrganization } from '../../settings/index.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import {
  addMember,
  addNewUser,
  createResetLink,
  createSignInLink,
  findUser,
  inviteMember,
  listMembers,
  removeMember,
  setUser,
  useLink,
} from '../index.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.drop())

const parts = () => ({ database: test.database, secret: test.secret, clock: systemClock })

let serial = 0
const anAddress = () => {
  serial += 1
  return `person${serial}@example.com`
}

async function aUser() {
  const user = { id: newId(), email: anAddress(), name: 'Ann' }
  await inOneTransaction(test.database, transaction => addNewUser(parts(), user, transaction))
  return user
}

async function reset(text: string): Promise<string> {
  const nothing = { signedInUserId: null, useFactor: null, addressClass: 'loopback' } as const
  const used = await useLink({ ...nothing, text, passwordHash: 'a hash' }, parts())
  return used instanceof Refusal ? used.code : 'used'
}

const selectWaiting = statement(
  'test_waiting_with_link',
  `select a.pid from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`,
)

async function untilOneWaits(): Promise<void> {
  await expect.poll(async () => (await test.database.query(selectWaiting, [])).length).toBe(1)
}

const lockUser = statement('test_lock_user_of_link', 'select u.id from users u where u.id = $1 for update')
const takeLinks = statement(
  'test_take_links_of_user',
  'select l.secret_hash from user_links l where l.user_id = $1 for update nowait',
)

describe('a change of a user', () => {
  it.each([
    ['using', (_: string, text: string) => reset(text)],
    ['making', async (id: string) => (await createResetLink(parts(), id)) && 'made'],
  ] as const)('and %s a link lock the user before the link, so that neither fails', async (_, work) => {
    const { id } = await aUser()
    const { text } = await createResetLink(parts(), id)
    const transaction = await test.database.begin()
    await transaction.query(lockUser, [id])
    const working = work(id, text)
    await untilOneWaits()
    expect(await transaction.query(takeLinks, [id])).toHaveLength(1)
    await transaction.commit()
    expect(['used', 'made']).toContain(await working)
  })

  it('meets many uses of links at the same moment', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => aUser()))
    const links = await Promise.all(users.map(({ id }) => createResetLink(parts(), id)))
    const emails = users.map(anAddress)
    await Promise.all([
      ...links.map(({ text }) => reset(text)),
      ...users.map(({ id }, n) => setUser(parts(), id, { email: emails[n] ?? '' })),
      ...users.map(({ id }) => createSignInLink(parts(), id)),
    ])
    const found = await Promise.all(users.map(async ({ id }) => (await findUser(test.database, id)).email))
    expect(found).toEqual(emails)
  })
})

const changeMembers = statement(
  'test_change_members',
  'select o.id from organizations o where o.organization_id = $1 for no key update',
)
const demote = statement(
  'test_demote_member',
  `update memberships m set role = 'manager' where m.organization_id = $1 and m.id = $2`,
)

describe('an invitation', () => {
  const anOwner = async (organizationId: string) => {
    const { id } = await addMember(parts(), { organizationId, user: await aUser(), role: 'owner' })
    return {
      id,
      invitation: { organizationId, email: anAddress(), name: 'Ben', role: 'member', invitedBy: id } as const,
    }
  }
  const states = async (organizationId: string) =>
    (await listMembers(test.database, organizationId, Date.now())).map(({ state }) => state)

  it('waits for a change of members that is under way, and is not made by who is no owner then', async () => {
    const { id: organizationId } = await createOrganization(test, { name: 'Acme' })
    const { id, invitation } = await anOwner(organizationId)
    const transaction = await test.database.begin()
    await transaction.query(changeMembers, [organizationId])
    const inviting = inviteMember(parts(), invitation).catch((error: unknown) => String(error))
    await untilOneWaits()
    await transaction.query(demote, [organizationId, id])
    await transaction.commit()
    expect(await inviting).toContain('only an owner of the organization invites')
    expect(await states(organizationId)).toEqual(['member'])
  })

  it('does not outlast its sender, who is removed at the same moment', async () => {
    const { id: organizationId } = await createOrganization(test, { name: 'Globex' })
    await anOwner(organizationId)
    for (let n = 0; n < 5; n += 1) {
      const { id, invitation } = await anOwner(organizationId)
      await Promise.allSettled([inviteMember(parts(), invitation), removeMember(parts(), { organizationId, id })])
    }
    expect(await states(organizationId)).toEqual(['member'])
  })
})
