import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import {
  createFirstLink,
  createResetLink,
  createSignInLink,
  createUserWithLink,
  inviteMember,
  setMemberRole,
} from '../../server/src/people/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { anOrganization } from '../support/organization.ts'
import { aCode, aFactor, aMembership, aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ clock })
})
afterAll(() => api.close())
beforeEach(() => clock.advance(60_000))

const parts = () => ({ database: api.test.database, secret: api.test.secret, clock })
const password = 'nine quiet harbours'

async function anInvitation(email: string, organizationId: string) {
  const invitation = { organizationId, email, name: 'Ben', role: 'member', invitedBy: null } as const
  return (await inviteMember(parts(), invitation)).text
}

const use = (browser: Browser, link: string, given: object = {}) => browser.post('/links/use', { link, ...given })
const rolesOf = ({ data }: { readonly data: { readonly organizations?: unknown } }) =>
  new Map(Array.isArray(data.organizations) ? data.organizations.map(({ id, role }) => [id, role]) : [])
const organizationsOf = ({ data }: { readonly data: { readonly organizations?: unknown } }) =>
  Array.isArray(data.organizations) ? data.organizations.map(each => String(each.id)) : []

test('the first link founds the organization and signs its owner in, once', async () => {
  const link = await createFirstLink(parts())
  if (link === null) throw new Error('there are users')
  const looked = await new Browser(api).post('/links/look', { link: link.text })
  expect(looked.data).toMatchObject({ kind: 'first', needs: ['organization_name', 'name', 'email', 'password'] })
  const given = { organizationName: 'Acme', name: 'Ann', email: 'ann@example.com', password }
  const answers = await Promise.all([use(new Browser(api), link.text, given), use(new Browser(api), link.text, given)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410])
  const [made] = answers.filter(({ status }) => status === 200)
  expect(made?.data).toMatchObject({
    user: { email: 'ann@example.com' },
    organizations: [{ name: 'Acme', role: 'owner' }],
  })
  expect((await new Browser(api).signIn('ann@example.com', password)).status).toBe(200)
})

describe('attack 1: an invitation to an address that has an account elsewhere', () => {
  test('sets no password, signs nobody in, and adds the membership when that user has signed in', async () => {
    const [user, { id }] = [await aUser(api), await anOrganization(api)]
    const link = await anInvitation(user.email, id)
    const stranger = new Browser(api)
    expect((await stranger.post('/links/look', { link })).data.needs).toEqual(['sign_in'])
    expect(await use(stranger, link, { name: 'Eve', password })).toMatchObject({
      status: 401,
      error: { code: 'not_signed_in' },
    })
    expect([...stranger.cookies]).toEqual([])
    expect((await new Browser(api).signIn(user.email, password)).status).toBe(401)
    const other = await aSignedInBrowser(api, await aUser(api))
    expect((await use(other, link)).status).toBe(401)
    const browser = new Browser(api)
    await browser.signIn(user.email, testPassword)
    const accepted = await use(browser, link, { password })
    expect(organizationsOf(accepted)).toEqual([id])
    expect((await browser.get('/session')).status).toBe(200)
    expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(200)
  })

  test('does not make the password of the session count as just entered', async () => {
    const [user, { id }] = [await aUser(api), await anOrganization(api)]
    const browser = await aSignedInBrowser(api, user)
    clock.advance(600_000)
    const accepted = await use(browser, await anInvitation(user.email, id))
    expect(accepted.data).toMatchObject({ freshUntil: null, organizations: [{ id }] })
    expect((await browser.get('/session')).data.freshUntil).toBeNull()
  })
})

test('attack 2: an account that an invitation has made joins no second organization', async () => {
  const [first, second] = [await anOrganization(api), await anOrganization(api)]
  const email = `made-${newId()}@example.com`
  const browser = new Browser(api)
  const joined = await use(browser, await anInvitation(email, first.id), { name: 'Ben', password })
  expect(organizationsOf(joined)).toEqual([first.id])
  const refused = await use(browser, await anInvitation(email, second.id))
  expect(refused.status).toBe(422)
  expect(organizationsOf(await browser.get('/session'))).toEqual([first.id])
})

describe('attack 3: a reset without the second factor', () => {
  test('changes nothing, also with a wrong code, and the link stays good for its user', async () => {
    const user = await aUser(api, { factor: aFactor })
    const { text } = await createResetLink(parts(), user.id)
    expect((await new Browser(api).post('/links/look', { link: text })).data.needs).toEqual(['password', 'code'])
    expect((await use(new Browser(api), text, { password })).error.code).toBe('second_factor_required')
    expect((await use(new Browser(api), text, { password, code: '000000' })).error.code).toBe('sign_in_refused')
    expect((await new Browser(api).signIn(user.email, password)).error.code).toBe('sign_in_refused')
    const code = await aCode(clock.now())
    expect((await use(new Browser(api), text, { password, code })).status).toBe(200)
  })

  test('cannot be tried with many codes', async () => {
    const user = await aUser(api, { factor: aFactor })
    const { text } = await createResetLink(parts(), user.id)
    const answers: unknown[] = []
    for (let each = 0; each < 7; each += 1)
      answers.push((await use(new Browser(api), text, { password, code: `00000${each}` })).error.code)
    expect(answers.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'sign_in_refused'))
    expect(answers.slice(5)).toEqual(['too_many_attempts', 'too_many_attempts'])
  })
})

test('a recovery code is not lost with a request that is refused, and is good once', async () => {
  const user = await aUser(api, { factor: aFactor })
  const code = 'abcdefghijklmnop'
  await api.test.database.query(
    statement(
      'test_recovery_code',
      "insert into recovery_codes (user_id, code_hash) values ($1, sha256(convert_to($2::text, 'UTF8')))",
    ),
    [user.id, code],
  )
  const { text } = await createResetLink(parts(), user.id)
  for (let each = 0; each < 6; each += 1)
    expect((await use(new Browser(api), text, { code })).error.code).toBe('validation_error')
  expect((await use(new Browser(api), text, { code, password })).status).toBe(200)
  const again = await createResetLink(parts(), user.id)
  expect((await use(new Browser(api), again.text, { code, password })).error.code).toBe('sign_in_refused')
})

test('a second factor that is removed while its code is on the way is not asked for', async () => {
  const user = await aUser(api, { factor: aFactor })
  const { text } = await createResetLink(parts(), user.id)
  const remove = statement('test_remove_factor', 'update users set totp_secret = null where id = $1')
  const made = await api.passwords.hash(password, 'test')
  const hash = vi.spyOn(api.passwords, 'hash').mockImplementation(async () => {
    await api.test.database.query(remove, [user.id])
    return made
  })
  const answer = await use(new Browser(api), text, { password, code: '000000' })
  hash.mockRestore()
  expect(answer.status).toBe(200)
  expect((await new Browser(api).signIn(user.email, password)).status).toBe(200)
})

test('attack 4: a link is used once, also by two at once', async () => {
  const user = await aUser(api)
  const { text } = await createSignInLink(parts(), user.id)
  const answers = await Promise.all(Array.from({ length: 4 }, () => use(new Browser(api), text)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410, 410])
  expect(await use(new Browser(api), text)).toMatchObject({
    status: 410,
    error: { code: 'link_not_valid' },
    details: { who: 'operator' },
  })
})

test('attack 5: a role that is lost ends the sessions that were open with it, and the role in another organization stays', async () => {
  const [user, other] = [await aUser(api), await aUser(api)]
  const [{ id }, { id: elsewhere }] = [await anOrganization(api), await anOrganization(api)]
  const operator = await aMembership(api, user, id, 'owner')
  await aMembership(api, other, id, 'owner')
  await aMembership(api, user, elsewhere, 'manager')
  const browser = await aSignedInBrowser(api, user)
  expect(rolesOf(await browser.get('/session')).get(id)).toBe('owner')
  await setMemberRole(parts(), { organizationId: id, id: operator, role: 'read_only' })
  api.services.authentication.sessions.forget()
  expect((await browser.get('/session')).status).toBe(401)
  const again = await new Browser(api).signIn(user.email, testPassword)
  expect(rolesOf(again)).toEqual(
    new Map([
      [id, 'read_only'],
      [elsewhere, 'manager'],
    ]),
  )
})

test('a reset ends every session of its user, and the password before is none any more', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  expect((await browser.get('/session')).status).toBe(200)
  const { text } = await createResetLink(parts(), user.id)
  const fresh = new Browser(api)
  expect((await use(fresh, text, { password })).data.user).toMatchObject({ id: user.id })
  expect((await browser.get('/session')).status).toBe(401)
  expect((await fresh.get('/session')).status).toBe(200)
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(401)
})

test('a link that sets a password takes none that is too weak, and is still good then', async () => {
  const email = `new-${newId()}@example.com`
  const { text } = await createUserWithLink(parts(), { email, name: 'Ben' }, null)
  const weak = await use(new Browser(api), text, { password: 'short' })
  expect(weak).toMatchObject({ status: 422, details: { issues: [{ path: '/password', rule: 'too_short' }] } })
  expect((await use(new Browser(api), text, { password })).status).toBe(200)
})

test('a link to sign in sets no password', async () => {
  const user = await aUser(api)
  const { text } = await createSignInLink(parts(), user.id)
  expect((await use(new Browser(api), text, { password })).status).toBe(200)
  expect((await new Browser(api).signIn(user.email, password)).status).toBe(401)
})

test('to ask for a reset says and does the same for every address', async () => {
  const user = await aUser(api)
  const answers = await Promise.all(
    [user.email, 'nobody@example.com'].map(email => new Browser(api).post('/resets', { email })),
  )
  const seen = answers.map(({ status, text }) => ({ status, text }))
  expect(seen[0]?.status).toBe(202)
  expect(seen[1]).toEqual(seen[0])
  const links = await api.test.database.query(
    statement('test_links_of_user', 'select 1 from user_links where user_id = $1'),
    [user.id],
  )
  expect(links).toEqual([])
})

test('what happened to accounts is told without an address of the network, a password, a code, a link or a secret', async () => {
  const user = await aUser(api, { factor: aFactor })
  const { text } = await createResetLink(parts(), user.id)
  const browser = new Browser(api)
  const code = await aCode(clock.now())
  await use(browser, text, { password, code })
  await new Browser(api).signIn(user.email, 'a wrong password', code)
  const rows = await api.test.database.query(
    statement('test_told_events', 'select e::text as told from account_events e where e.user_id = $1'),
    [user.id],
  )
  const told = JSON.stringify([rows, api.failures])
  expect(rows.length).toBeGreaterThan(1)
  for (const secret of ['127.0.0.1', password, 'a wrong password', `"${code}"`, text, ...browser.cookies.values()])
    expect(told).not.toContain(secret)
})
