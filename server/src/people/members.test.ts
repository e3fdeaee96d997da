import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { MemberRole } from '../kernel/auth/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { nestedResources, resources, settingKinds } from '../modules.ts'
import { usageOf } from '../requests/index.ts'
import {
  application as applicationKind,
  createApplication,
  createOperator,
  createOrganization,
  createToken,
  idNamed,
  listSettings,
  operator,
  removeSetting,
  setOperator,
  setOrganization,
} from '../settings/index.ts'
import { peopleBounds } from './bounds.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { addMember, addNewUser, findUser, removeMember, removeUser, setMemberRole, setUser } from './index.ts'
import { listMembers } from './list-members.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.drop())

let serial = 0

async function aUser(name = 'Ann') {
  serial += 1
  const user = { id: newId(), email: `${name}${serial}@example.com`, name }
  await inOneTransaction(test.database, transaction => addNewUser(test, user, transaction))
  return user
}

async function anOrganization(): Promise<string> {
  serial += 1
  return (await createOrganization(test, { name: `Organization ${serial}` })).id
}

async function aMember(organizationId: string, role: MemberRole = 'owner') {
  const user = await aUser()
  const { id } = await addMember(test, { organizationId, user, role })
  return { id, user }
}

const members = async (organizationId: string) =>
  (await listMembers(test.database, organizationId, 0)).map(({ id, role }) => ({ id, role }))
const operatorNamed = async (organizationId: string, id: string) =>
  (await listSettings(test.database, operator, { organizationId })).find(each => each.id === id)

const selectGeneration = statement('test_people_generation', 'select people_generation::integer as n from installation')
const generation = async () => Number((await test.database.query(selectGeneration, []))[0]?.n)

const selectSessions = statement('test_sessions_of', 'select s.id from sessions s where s.user_id = $1')
const insertSession = statement(
  'test_insert_session',
  `insert into sessions (id, secret_hash, user_id, created_at, seen_at, fresh_at, expires_at, address_class, browser)
   values ($1::uuid, decode(md5($1::uuid::text), 'hex'), $2, now(), now(), now(), now() + interval '1 day', 'loopback', 'Test')`,
)

async function aSession(userId: string): Promise<string> {
  const id = newId()
  await test.database.query(insertSession, [id, userId])
  return id
}

const sessionsOf = async (userId: string) => (await test.database.query(selectSessions, [userId])).map(({ id }) => id)

describe('a member', () => {
  it('is the operator with the same e-mail address, whatever its case, who becomes active', async () => {
    const organizationId = await anOrganization()
    const user = await aUser()
    const known = await createOperator(test, { organizationId, name: 'Ann of old', email: user.email.toUpperCase() })
    await setOperator(test, { organizationId, id: known.id, active: false })
    expect(await addMember(test, { organizationId, user, role: 'owner' })).toEqual({ id: known.id })
    expect(await operatorNamed(organizationId, known.id)).toMatchObject({ name: 'Ann of old', active: true })
  })

  it('is a new operator where none has the address', async () => {
    const organizationId = await anOrganization()
    const { id, user } = await aMember(organizationId)
    expect(await operatorNamed(organizationId, id)).toMatchObject({ name: user.name, email: user.email, active: true })
    expect(await members(organizationId)).toEqual([{ id, role: 'owner' }])
  })

  it('is a member once', async () => {
    const organizationId = await anOrganization()
    const { user } = await aMember(organizationId)
    await expect(addMember(test, { organizationId, user, role: 'member' })).rejects.toThrow('is a member')
  })

  it('who is removed leaves an inactive operator behind', async () => {
    const organizationId = await anOrganization()
    await aMember(organizationId)
    const { id } = await aMember(organizationId, 'member')
    const before = await generation()
    await removeMember(test, { organizationId, id })
    expect(await operatorNamed(organizationId, id)).toMatchObject({ active: false })
    expect(await members(organizationId)).toHaveLength(1)
    expect(await generation()).toBeGreaterThan(before)
  })

  it('keeps the operator active as long as the membership lasts', async () => {
    const organizationId = await anOrganization()
    const { id } = await aMember(organizationId)
    await expect(setOperator(test, { organizationId, id, active: false })).rejects.toThrow('remove the member first')
    const kinds = [...resources, ...nestedResources, ...settingKinds]
    await expect(operator.administered.remove(test, { organizationId, id }, kinds)).rejects.toThrow(
      'remove the member first',
    )
  })

  it('whose role changes is signed out everywhere, but where the change was made', async () => {
    const organizationId = await anOrganization()
    await aMember(organizationId)
    const { id, user } = await aMember(organizationId, 'member')
    const [kept] = [await aSession(user.id), await aSession(user.id)]
    await setMemberRole(test, { organizationId, id, role: 'manager', keepSession: kept })
    expect(await sessionsOf(user.id)).toEqual([kept])
    expect(await members(organizationId)).toContainEqual({ id, role: 'manager' })
    await setMemberRole(test, { organizationId, id, role: 'read_only' })
    expect(await sessionsOf(user.id)).toEqual([])
  })

  it('of another organization is unknown', async () => {
    const organizationId = await anOrganization()
    const { id } = await aMember(await anOrganization())
    await expect(removeMember(test, { organizationId, id })).rejects.toThrow('no such member')
  })

  it('is audited with the person who made the change', async () => {
    const organizationId = await anOrganization()
    const { id } = await aMember(organizationId)
    const user = await aUser()
    const author = { type: 'user', uuid: id, jobId: null } as const
    const added = await addMember({ ...test, author }, { organizationId, user, role: 'member' })
    const entries = await test.database.query(
      statement(
        'test_audit_of_member',
        `select e.action, e.actor_type, e.actor_uuid from audit_entries e
          where e.organization_id = $1 and e.resource_id = $2 and e.resource_type = 'membership'`,
      ),
      [organizationId, added.id],
    )
    expect(entries).toEqual([{ action: 'membership.created', actor_type: 'user', actor_uuid: id }])
  })
})

describe('the last owner', () => {
  it('neither goes nor gets another role', async () => {
    const organizationId = await anOrganization()
    const { id, user } = await aMember(organizationId)
    await aMember(organizationId, 'manager')
    await expect(removeMember(test, { organizationId, id })).rejects.toThrow('needs an owner')
    await expect(setMemberRole(test, { organizationId, id, role: 'manager' })).rejects.toThrow('needs an owner')
    await expect(removeUser(test, user.id)).rejects.toThrow('is the only owner')
  })

  it('is one whose account is active', async () => {
    const organizationId = await anOrganization()
    const { id } = await aMember(organizationId)
    const other = await aMember(organizationId)
    await setUser(test, other.user.id, { active: false })
    await expect(removeMember(test, { organizationId, id })).rejects.toThrow('needs an owner')
    const { user } = await aMember(organizationId)
    await removeUser(test, user.id)
    const [owner] = (await listMembers(test.database, organizationId, 0)).filter(each => each.id === id)
    await expect(removeUser(test, owner?.email ?? '')).rejects.toThrow('is the only owner')
  })

  it('stays when two owners remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const organizationId = await anOrganization()
      const owners = [await aMember(organizationId), await aMember(organizationId)]
      const ends = await Promise.allSettled(owners.map(({ id }) => removeMember(test, { organizationId, id })))
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await members(organizationId)).toHaveLength(1)
    }
  })
})

describe('an account that is not proven', () => {
  it('joins no second organization', async () => {
    const { user } = await aMember(await anOrganization())
    const second = { organizationId: await anOrganization(), user, role: 'member' } as const
    await expect(addMember(test, second)).rejects.toThrow('not proven')
    await setUser(test, user.email, { proven: true })
    await addMember(test, second)
    expect(await members(second.organizationId)).toHaveLength(1)
  })

  it('joins one of two at the same moment', async () => {
    const user = await aUser()
    const places = [await anOrganization(), await anOrganization()]
    const joined = await Promise.allSettled(
      places.map(organizationId => addMember(test, { organizationId, user, role: 'member' })),
    )
    expect(joined.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('joins none if it is not active', async () => {
    const user = await aUser()
    await setUser(test, user.id, { active: false })
    const place = { organizationId: await anOrganization(), user, role: 'member' } as const
    await expect(addMember(test, place)).rejects.toThrow('is not active')
  })
})

describe('the application that stands for the cabinet', () => {
  const selectCabinets = statement(
    'test_cabinets',
    `select a.id from applications a where a.organization_id = $1 and a.kind = 'cabinet'`,
  )

  it('comes with the first member, once, and is in no list, command or table', async () => {
    const organizationId = await anOrganization()
    const cabinets = async () =>
      (await test.database.query(selectCabinets, [organizationId])).map(({ id }) => String(id))
    expect(await cabinets()).toEqual([])
    await aMember(organizationId)
    await aMember(organizationId)
    const [id = '', ...others] = await cabinets()
    expect(others).toEqual([])
    expect(await listSettings(test.database, applicationKind, { organizationId })).toEqual([])
    expect((await usageOf(test.database, organizationId, 0, [])).applications).toEqual([])
    await expect(idNamed(test.database, applicationKind, id)).rejects.toThrow('no such application')
    await expect(idNamed(test.database, applicationKind, 'Cabinet')).rejects.toThrow('no such application')
    const address = { organizationId, kind: applicationKind, id }
    await expect(removeSetting(test, address, [])).rejects.toThrow('no such application')
    const token = { organizationId, applicationId: id, name: 'Token', scopes: ['all'] }
    await expect(createToken(test, token)).rejects.toThrow('no such application')
  })

  it('leaves its name to others', async () => {
    const organizationId = await anOrganization()
    await aMember(organizationId)
    await createApplication(test, { organizationId, name: 'Cabinet' })
    expect(await listSettings(test.database, applicationKind, { organizationId })).toHaveLength(1)
  })
})

describe('the switches of an organization', () => {
  it('are set by its owner, and forgotten nowhere', async () => {
    const organizationId = await anOrganization()
    const switches = {
      membersSeeContactData: false,
      membersSeeAmounts: false,
      managersManageIntegrations: true,
      secondFactorRequired: true,
    }
    const before = await generation()
    expect(await setOrganization({ ...test, as: 'owner' }, { organizationId, ...switches })).toMatchObject(switches)
    expect(await generation()).toBeGreaterThan(before)
  })
})

describe('an organization', () => {
  it('has so many members, and no more', async () => {
    const organizationId = await anOrganization()
    await aMember(organizationId)
    const { most } = peopleBounds.organizationMembers
    await test.database.script(
      `with new as (select gen_random_uuid() as id, n from generate_series(2, ${most}) as n),
            o as (insert into operators (organization_id, id, name, email, created_at)
                  select '${organizationId}', id, 'Filler', 'filler' || n || '@example.com', now() from new)
       insert into memberships (organization_id, id, user_id, role, created_at, updated_at, version)
       select '${organizationId}', id, gen_random_uuid(), 'member', now(), now(), 1 from new`,
    )
    await expect(aMember(organizationId)).rejects.toThrow(`the organization has ${most} members`)
  })
})

const takeEmail = statement('test_take_email', 'update users u set email = $2 where u.id = $1')
const selectWaiting = statement(
  'test_waiting_for_email',
  `select a.pid from pg_stat_activity a
    where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query like '%update users%'`,
)

const rename = statement('test_rename_user', 'update users u set name = $2 where u.id = $1')

describe('a transaction', () => {
  it('begins again after a deadlock with another one', async () => {
    const [one, other] = [await aUser(), await aUser()]
    const attempts: string[] = []
    let both = () => {}
    const met = new Promise<void>(resolve => (both = resolve))
    let over = () => {}
    const otherIsOver = new Promise<void>(resolve => (over = resolve))
    const renameBoth = (name: string, [first, second]: readonly { readonly id: string }[]) =>
      inOneTransaction(test.database, async transaction => {
        // The one that begins again lets the other end first: else both could meet once more.
        if (attempts.length === 2) await otherIsOver
        await transaction.query(rename, [first?.id, name])
        attempts.push(name)
        if (attempts.length === 2) both()
        await met
        await transaction.query(rename, [second?.id, name])
      }).then(over)
    await Promise.all([renameBoth('Ann', [one, other]), renameBoth('Ben', [other, one])])
    expect(attempts).toHaveLength(3)
  })

  it('ends with the fourth conflict', async () => {
    let attempts = 0
    const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' })
    const failing = inOneTransaction(test.database, async () => {
      attempts += 1
      throw conflict
    })
    await expect(failing).rejects.toBe(conflict)
    expect(attempts).toBe(4)
  })
})

describe('an installation', () => {
  it('has one user with an e-mail address, whatever its case', async () => {
    const { email } = await aUser()
    const again = { id: newId(), email: email.toUpperCase(), name: 'Ben' }
    await expect(inOneTransaction(test.database, transaction => addNewUser(test, again, transaction))).rejects.toThrow(
      'another user has the e-mail address',
    )
    const { email: other } = await aUser()
    await expect(setUser(test, other, { email })).rejects.toThrow('another user has the e-mail address')
  })

  it('gives an e-mail address to one of two users who get it at the same moment', async () => {
    const [first, second] = [await aUser(), await aUser()]
    const email = `at-once-${first.id}@example.com`
    const transaction = await test.database.begin()
    await transaction.query(takeEmail, [first.id, email])
    const commit = async () => {
      await expect.poll(async () => (await test.database.query(selectWaiting, [])).length).toBe(1)
      await transaction.commit()
    }
    const [refused] = await Promise.allSettled([setUser(test, second.id, { email }), commit()])
    expect(refused).toMatchObject({ reason: { message: `another user has the e-mail address ${email}` } })
  })

  it('gives the operators that a user is the new e-mail address, and those that it has missed', async () => {
    const organizations = [await anOrganization(), await anOrganization()]
    const user = await aUser()
    await setUser(test, user.id, { proven: true })
    const ids: string[] = []
    for (const organizationId of organizations)
      ids.push((await addMember(test, { organizationId, user, role: 'owner' })).id)
    const emails = () => Promise.all(organizations.map(async (at, n) => (await operatorNamed(at, ids[n] ?? ''))?.email))
    await setUser(test, user.id, { email: 'Moved@Example.com' })
    expect(await emails()).toEqual(['Moved@Example.com', 'Moved@Example.com'])
    await setOperator(test, { organizationId: organizations[0] ?? '', id: ids[0] ?? '', email: 'old@example.com' })
    await setUser(test, user.id, { email: 'moved@example.com' })
    expect(await emails()).toEqual(['moved@example.com', 'moved@example.com'])
  })

  it('leaves a user the address if another operator of an organization has the new one', async () => {
    const organizationId = await anOrganization()
    const { id, user } = await aMember(organizationId)
    const email = 'somebody-else@example.com'
    await createOperator(test, { organizationId, name: 'Sam', email: email.toUpperCase() })
    await expect(setUser(test, user.id, { email })).rejects.toThrow(
      /the operator Sam of Organization \d+ has the e-mail/u,
    )
    expect((await findUser(test.database, user.id)).email).toBe(user.email)
    expect(await operatorNamed(organizationId, id)).toMatchObject({ email: user.email })
  })

  it('has so many users, and no more', async () => {
    const { most } = peopleBounds.users
    await test.database.script(
      `insert into users (id, email, name, created_at, updated_at)
       select gen_random_uuid(), 'filler' || n || '@users.example', 'Filler', now(), now()
         from generate_series(1, ${most} - (select count(*) from users)) as n`,
    )
    await expect(aUser()).rejects.toThrow(`the installation has ${most} users`)
    await test.database.script(`delete from users where email like 'filler%@users.example'`)
  })
})
