import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { Refusal } from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { createOrganization } from '../../settings/index.ts'
import { peopleBounds } from '../bounds.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import {
  addMember,
  addNewUser,
  cancelInvitation,
  createFirstLink,
  createResetLink,
  createSignInLink,
  createUserWithLink,
  inviteMember,
  linkAddress,
  listMembers,
  lookAtLink,
  setUser,
  showUser,
  useLink,
} from '../index.ts'
import type { LinkUse } from './use-link.ts'

let test: TestDatabase
let now = Date.parse('2027-01-01T00:00:00Z')
const clock = { now: () => now }
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.drop())

const parts = () => ({ database: test.database, secret: test.secret, clock })
const minute = 60_000

const selectInvitationEvents = statement(
  'test_select_invitation_events',
  `select e.event, e.detail ->> 'email' as email from account_events e where e.detail ->> 'organizationId' = $1 order by e.id`,
)

let serial = 0
const anAddress = () => {
  serial += 1
  return `person${serial}@example.com`
}

async function aUser({ isProven = false } = {}) {
  const user = { id: newId(), email: anAddress(), name: 'Ann' }
  await inOneTransaction(test.database, transaction => addNewUser(parts(), user, transaction))
  if (isProven) await setUser(parts(), user.id, { proven: true })
  return user
}

async function anOrganization(): Promise<string> {
  serial += 1
  return (await createOrganization(test, { name: `Organization ${serial}` })).id
}

function use(text: string, given: Partial<LinkUse> = {}) {
  const nothing = { signedInUserId: null, passwordHash: null, useFactor: null, addressClass: 'loopback' } as const
  return useLink({ ...nothing, text, ...given }, parts())
}

async function codeOf(outcome: ReturnType<typeof use> | ReturnType<typeof lookAtLink>): Promise<string> {
  const result = await outcome
  return result instanceof Refusal ? result.code : 'used'
}

const looked = (text: string, signedInUserId: string | null = null) => lookAtLink(text, signedInUserId, parts())
const password = { passwordHash: 'a hash' }
const shown = (user: string) => showUser(test.database, user)
const memberNames = async (organizationId: string) =>
  (await listMembers(test.database, organizationId, now)).map(({ email, state }) => `${email} ${state}`)

async function anInvitation(organizationId: string, email = anAddress()) {
  const invitation = { organizationId, email, name: 'Ben', role: 'member', invitedBy: null } as const
  return { email, text: (await inviteMember(parts(), invitation)).text }
}

describe('a link', () => {
  it('has 256 random bits, in the fragment of its page, and the database has its hash alone', async () => {
    const { text } = await createSignInLink(parts(), (await aUser()).id)
    expect(text).toMatch(/^[\w-]{43}$/u)
    expect(linkAddress('https://crm.example.com/', 'sign_in', text)).toBe(
      `https://crm.example.com/cabinet/enter#${text}`,
    )
    const all = statement('test_all_links', 'select l::text as row from user_links l')
    expect(JSON.stringify(await test.database.query(all, []))).not.toContain(text)
  })

  it('is used once, also by two at the same moment', async () => {
    const { text } = await createSignInLink(parts(), (await aUser()).id)
    const codes = await Promise.all([codeOf(use(text)), codeOf(use(text)), codeOf(use(text))])
    expect(codes.toSorted()).toEqual(['link_not_valid', 'link_not_valid', 'used'])
    expect(await codeOf(looked(text))).toBe('link_not_valid')
  })

  it.each([
    ['sign_in', 30 * minute],
    ['reset', 60 * minute],
    ['invitation', 7 * 24 * 60 * minute],
    ['first', 30 * minute],
  ] as const)('of the kind %s is good for %i ms', async (kind, time) => {
    const user = await aUser()
    const made = {
      sign_in: () => createSignInLink(parts(), user.id),
      reset: () => createResetLink(parts(), user.id),
      invitation: async () => anInvitation(await anOrganization()),
      first: () => firstLink(),
    }
    const { text } = await made[kind]()
    now += time - 1
    expect(await codeOf(looked(text))).toBe('used')
    now += 1
    expect(await codeOf(looked(text))).toBe('link_not_valid')
    expect(await codeOf(use(text, password))).toBe('link_not_valid')
  })

  it('is no longer good when there is a newer one of its kind for the person', async () => {
    const { id } = await aUser()
    const [first, reset] = [await createSignInLink(parts(), id), await createResetLink(parts(), id)]
    const second = await createSignInLink(parts(), id)
    expect(await codeOf(looked(first.text))).toBe('link_not_valid')
    expect(await codeOf(looked(second.text))).toBe('used')
    expect(await codeOf(looked(reset.text))).toBe('used')
  })

  it('of another organization stays good when one invites the same person', async () => {
    const one = await anInvitation(await anOrganization())
    const other = await anInvitation(await anOrganization(), one.email)
    expect([await codeOf(looked(one.text)), await codeOf(looked(other.text))]).toEqual(['used', 'used'])
  })

  it('of a user who is not active any more is not good', async () => {
    const { id } = await aUser()
    const { text } = await createSignInLink(parts(), id)
    await setUser(parts(), id, { active: false })
    expect(await codeOf(use(text))).toBe('link_not_valid')
    await expect(createResetLink(parts(), id)).rejects.toThrow('is not active')
  })

  it.each(['', 'x', 'ä'.repeat(43), 'a'.repeat(43), 'a'.repeat(100_000)])(
    'that nobody made is refused: %.10s',
    async text => {
      expect(await looked(text)).toMatchObject({ code: 'link_not_valid', status: 410, details: { who: 'operator' } })
    },
  )
})

describe('a reset', () => {
  it('sets the password, proves the account and ends all other links and sessions', async () => {
    const { id } = await aUser()
    const [signIn, { text }] = [await createSignInLink(parts(), id), await createResetLink(parts(), id)]
    await test.database.script(
      `insert into sessions (id, secret_hash, user_id, created_at, seen_at, fresh_at, expires_at, address_class, browser)
       values (gen_random_uuid(), decode(md5('${id}'), 'hex'), '${id}', now(), now(), now(), now(), 'loopback', 'Test')`,
    )
    expect(await looked(text)).toMatchObject({ kind: 'reset', needs: ['password'], user: { id } })
    expect(await use(text)).toMatchObject({ code: 'validation_error', details: { issues: [{ path: '/password' }] } })
    expect(await use(text, password)).toEqual({ userId: id, organizationId: null })
    expect(await shown(id)).toMatchObject({ hasPassword: true, proven: true, sessions: [] })
    expect(await codeOf(looked(signIn.text))).toBe('link_not_valid')
  })

  it('asks for the second factor if there is one', async () => {
    const { id } = await aUser()
    await test.database.script(`update users set totp_secret = 'sealed' where id = '${id}'`)
    const { text } = await createResetLink(parts(), id)
    expect(await looked(text)).toMatchObject({ needs: ['password', 'code'], user: { hasSecondFactor: true } })
    expect(await codeOf(use(text, password))).toBe('second_factor_required')
    expect(await shown(id)).toMatchObject({ hasPassword: false })
    expect(await codeOf(use(text, { ...password, useFactor: async () => true }))).toBe('used')
  })
})

describe('an invitation', () => {
  it('makes an account that is not proven for an address that has none', async () => {
    const organizationId = await anOrganization()
    const { email, text } = await anInvitation(organizationId)
    expect(await looked(text)).toMatchObject({
      email,
      name: 'Ben',
      role: 'member',
      needs: ['name', 'password'],
      user: null,
    })
    expect(await use(text, { ...password, name: ' Benjamin ' })).toMatchObject({ organizationId })
    expect(await shown(email)).toMatchObject({ name: 'Benjamin', proven: false, hasPassword: true })
    expect(await memberNames(organizationId)).toEqual([`${email} member`])
  })

  it('to an address with an account adds a membership alone, and only for that user', async () => {
    const organizationId = await anOrganization()
    const user = await aUser({ isProven: true })
    const { text } = await anInvitation(organizationId, user.email.toUpperCase())
    expect(await looked(text)).toMatchObject({ needs: ['sign_in'], user: null })
    expect(await codeOf(use(text, password))).toBe('not_signed_in')
    expect(await codeOf(use(text, { ...password, signedInUserId: (await aUser()).id }))).toBe('not_signed_in')
    expect(await looked(text, user.id)).toMatchObject({ needs: [] })
    expect(await use(text, { ...password, signedInUserId: user.id })).toEqual({ userId: user.id, organizationId })
    expect(await shown(user.id)).toMatchObject({ hasPassword: false, name: 'Ann' })
  })

  it('asks to sign in when the account was made after it', async () => {
    const organizationId = await anOrganization()
    const { email, text } = await anInvitation(organizationId)
    const other = await anInvitation(await anOrganization(), email)
    await use(other.text, password)
    expect(await codeOf(use(text, password))).toBe('not_signed_in')
    expect(await memberNames(organizationId)).toEqual([`${email} invited`])
  })

  it('takes no account that is not proven into a second organization', async () => {
    const { email, text } = await anInvitation(await anOrganization())
    const joined = await use(text, password)
    const second = await anInvitation(await anOrganization(), email)
    const signedInUserId = 'userId' in joined ? joined.userId : ''
    expect(await use(second.text, { signedInUserId })).toMatchObject({ code: 'validation_error', status: 422 })
    await setUser(parts(), email, { proven: true })
    expect(await codeOf(use(second.text, { signedInUserId }))).toBe('used')
  })

  it('makes one account when two use it at the same moment', async () => {
    const organizationId = await anOrganization()
    const { email, text } = await anInvitation(organizationId)
    const outcomes = await Promise.all([codeOf(use(text, password)), codeOf(use(text, password))])
    expect(outcomes.filter(code => code === 'used')).toHaveLength(1)
    expect(await memberNames(organizationId)).toEqual([`${email} member`])
  })

  it('names an owner as the one who can make another', async () => {
    const organizationId = await anOrganization()
    const { id: invitedBy } = await addMember(parts(), { organizationId, user: await aUser(), role: 'owner' })
    const invitation = { organizationId, email: anAddress(), name: 'Ben', role: 'member', invitedBy } as const
    const { text } = await inviteMember(parts(), invitation)
    await use(text, password)
    expect(await looked(text)).toMatchObject({ details: { who: 'owner' } })
  })

  it('can be canceled, and is not made for members', async () => {
    const organizationId = await anOrganization()
    const { text, email } = await anInvitation(organizationId)
    const [invited] = await listMembers(test.database, organizationId, now)
    const address = { organizationId, id: invited?.invitationId ?? '' }
    await expect(cancelInvitation(parts(), { ...address, organizationId: await anOrganization() })).rejects.toThrow(
      'no such invitation',
    )
    await cancelInvitation(parts(), address)
    expect(await codeOf(use(text, password))).toBe('link_not_valid')
    expect(await test.database.query(selectInvitationEvents, [organizationId])).toEqual([
      { event: 'member_invited', email },
      { event: 'invitation_canceled', email },
    ])
    const user = await aUser()
    await addMember(parts(), { organizationId, user, role: 'member' })
    await expect(anInvitation(organizationId, user.email)).rejects.toThrow('is a member of the organization already')
  })

  it('is refused beyond so many open ones', async () => {
    const organizationId = await anOrganization()
    const { most } = peopleBounds.organizationInvitations
    const { email } = await anInvitation(organizationId)
    await test.database.script(
      `insert into user_links (secret_hash, kind, email, name, organization_id, role, created_at, expires_at)
       select decode(md5('${organizationId}' || n), 'hex'), 'invitation', 'filler' || n || '@example.com', 'Filler',
              '${organizationId}', 'member', '2027-01-01', '2028-01-01' from generate_series(2, ${most}) as n`,
    )
    await expect(anInvitation(organizationId)).rejects.toThrow(`has ${most} open invitations`)
    // A new one for an address replaces the one before.
    await anInvitation(organizationId, email)
  })
})

describe('the link of a user whom the operator has made', () => {
  it('sets the first password and proves the account', async () => {
    const organizationId = await anOrganization()
    const person = { email: anAddress(), name: 'Ann' }
    const { id, text } = await createUserWithLink(parts(), person, { organizationId, role: 'owner' })
    expect(await memberNames(organizationId)).toEqual([`${person.email} member`])
    expect(await looked(text)).toMatchObject({ kind: 'invitation', needs: ['password'], user: { id } })
    expect(await codeOf(use(text, password))).toBe('used')
    expect(await shown(id)).toMatchObject({ hasPassword: true, proven: true })
  })

  it('sets none when the account has one meanwhile', async () => {
    const { id, text } = await createUserWithLink(parts(), { email: anAddress(), name: 'Ann' }, null)
    await test.database.script(`update users set password_hash = 'chosen' where id = '${id}'`)
    expect(await codeOf(use(text, password))).toBe('link_not_valid')
  })

  it('is not made, and no user, where the organization is unknown', async () => {
    const person = { email: anAddress(), name: 'Ann' }
    const membership = { organizationId: newId(), role: 'owner' } as const
    await expect(createUserWithLink(parts(), person, membership)).rejects.toThrow('no such organization')
    await expect(shown(person.email)).rejects.toThrow('no such user')
  })
})

/** In a database without users there is a first link. */
async function firstLink() {
  await test.database.script('delete from memberships; delete from users')
  const link = await createFirstLink(parts())
  if (link === null) throw new Error('there are users')
  return link
}

describe('the first link', () => {
  const founder = { ...password, email: 'first@example.com', name: 'Ann', organizationName: 'Acme' }

  it('founds one organization with its owner, also for two at the same moment', async () => {
    const { text } = await firstLink()
    expect(await looked(text)).toMatchObject({ needs: ['organization_name', 'name', 'email', 'password'], email: null })
    const outcomes = await Promise.all([use(text, founder), use(text, { ...founder, email: 'second@example.com' })])
    const made = outcomes.filter(outcome => !(outcome instanceof Refusal))
    expect(made).toHaveLength(1)
    const [one] = made
    const organizationId = one !== undefined && 'organizationId' in one ? String(one.organizationId) : ''
    expect(await listMembers(test.database, organizationId, now)).toMatchObject([{ role: 'owner', name: 'Ann' }])
    expect(await shown(one !== undefined && 'userId' in one ? one.userId : '')).toMatchObject({ proven: true })
    expect(await createFirstLink(parts())).toBeNull()
  })

  it('says all that is missing, and is still good then', async () => {
    const { text } = await firstLink()
    const refused = await use(text)
    expect(refused).toMatchObject({
      code: 'validation_error',
      details: { issues: ['/organizationName', '/email', '/password'].map(path => ({ path })) },
    })
    expect(await use(text, { ...founder, email: 'no address' })).toMatchObject({
      details: { issues: [{ path: '/email' }] },
    })
    expect(await codeOf(use(text, founder))).toBe('used')
  })

  it('is not good any more when there is a user', async () => {
    const { text } = await firstLink()
    await aUser()
    expect(await codeOf(use(text, founder))).toBe('link_not_valid')
  })
})
