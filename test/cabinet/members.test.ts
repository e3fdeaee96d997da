import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser, type CabinetAnswer } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aCode, aMembership, aSignedInBrowser, aUser } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

const at = (path: string, { id }: Pick<TestOrganization, 'id'>) => `/o/${id}${path}`

async function aMember(organization: TestOrganization, role: Parameters<typeof aMembership>[3]) {
  const user = await aUser(api)
  const id = await aMembership(api, user, organization.id, role)
  return { user, id, browser: await aSignedInBrowser(api, user) }
}

/** Whether each organization of a user waits for a second factor. */
const membershipsIn = ({ data: { organizations } }: CabinetAnswer): [string, unknown][] =>
  Array.isArray(organizations) ? organizations.map(each => [String(each.id), each.needsSecondFactor]) : []

/** The text of a link, behind the fragment. */
const textOf = (link: unknown) => String(link).split('#')[1]

test('an owner invites a person, who joins with the link and is a member then', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const email = `guest-${organization.id}@example.com`
  const invited = await owner.post(at('/members', organization), { email, name: 'Gus Hill', role: 'manager' })
  expect([invited.status, invited.data.link]).toEqual([201, expect.stringMatching(/^\/cabinet\/join#[\w-]{43}$/u)])
  const listed = await owner.get(at('/members', organization))
  const { expiresAt } = invited.data
  expect(listed.items).toContainEqual(
    expect.objectContaining({ email, role: 'manager', state: 'invited', id: null, version: null, expiresAt }),
  )

  const link = textOf(invited.data.link)
  const joined = await new Browser(api).post('/links/use', {
    link,
    name: 'Gus Hill',
    password: 'four blue kettles sing',
  })
  expect([joined.status, joined.data.organizations]).toMatchObject([200, [{ id: organization.id, role: 'manager' }]])
  const after = await owner.get(at('/members', organization))
  expect(after.items.filter(member => member.email === email)).toMatchObject([
    { state: 'member', role: 'manager', version: 1 },
  ])
})

test('an expired invitation is listed as such until it is made anew, and only owners see who has a second factor', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const asked = { email: `guest-${organization.id}@example.com`, name: 'Gus Hill', role: 'member' }
  await owner.post(at('/members', organization), asked)
  await api.test.database.query(
    statement(
      'test_expire_invitation',
      `update user_links set expires_at = created_at + interval '1 second' where organization_id = $1`,
    ),
    [organization.id],
  )
  clock.advance(2000)
  const states = async () => (await owner.get(at('/members', organization))).items.map(({ state }) => state)
  expect(await states()).toEqual(['member', 'expired'])
  await owner.post(at('/members', organization), asked)
  expect(await states()).toEqual(['member', 'invited'])
  const [own] = (await owner.get(at('/members', organization))).items
  expect(own).toMatchObject({ hasSecondFactor: false, expiresAt: null })
  const { browser: reader } = await aMember(organization, 'read_only')
  const [seen] = (await reader.get(at('/members', organization))).items
  expect(Object.keys(seen ?? {})).not.toContain('hasSecondFactor')
})

test('a canceled invitation lets nobody in', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const email = `guest-${organization.id}@example.com`
  const { data } = await owner.post(at('/members', organization), { email, name: 'Gus Hill', role: 'member' })
  const [invitation] = (await owner.get(at('/members', organization))).items.filter(({ state }) => state === 'invited')
  const path = at(`/invitations/${String(invitation?.invitationId)}`, organization)
  expect((await owner.delete(path)).status).toBe(200)
  expect(await owner.delete(path)).toMatchObject({ status: 404, error: { code: 'not_found' } })
  const body = { link: textOf(data.link), name: 'Gus Hill', password: 'four blue kettles sing' }
  expect(await new Browser(api).post('/links/use', body)).toMatchObject({
    status: 410,
    error: { code: 'link_not_valid' },
  })
})

test('where an organization demands a second factor, a member without one is refused, sets one up and is served', async () => {
  const [organization, other] = [await anOrganization(api), await anOrganization(api)]
  const { browser: owner } = await aMember(organization, 'owner')
  const { user, browser } = await aMember(organization, 'member')
  await aMembership(api, user, other.id)
  const contacts = at('/crm/contacts', organization)
  expect((await browser.get(contacts)).status).toBe(200)
  const settings = at('/settings/organization', organization)
  const { version: expectedVersion } = (await owner.get(settings)).data
  const demanded = await owner.patch(settings, { expectedVersion, secondFactorRequired: true })
  expect(demanded.data).toMatchObject({ secondFactorRequired: true })

  await expect.poll(async () => (await browser.get(contacts)).status).toBe(403)
  const refused = [await browser.get(contacts), await browser.post(contacts, { firstName: 'Ada' })]
  expect(refused.map(({ error }) => error.code)).toEqual(['second_factor_missing', 'second_factor_missing'])
  expect((await organization.client.get('/contacts')).items).toEqual([])
  expect((await browser.get(at('/crm/contacts', other))).status).toBe(200)
  const needs = async () => new Map(membershipsIn(await browser.get('/session')))
  expect((await needs()).get(organization.id)).toBe(true)

  const { data } = await browser.post('/account/second-factor')
  const code = await aCode(clock.now(), String(data.secret))
  expect((await browser.post('/account/second-factor/confirm', { code })).status).toBe(200)
  expect((await browser.get(contacts)).status).toBe(200)
  expect((await needs()).get(organization.id)).toBe(false)
})

test('a changed role holds for the next request, and ends the sessions of the member', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const { id, user, browser } = await aMember(organization, 'member')
  const changed = await owner.patch(at(`/members/${id}`, organization), { expectedVersion: 1, role: 'read_only' })
  expect([changed.status, changed.data.id]).toEqual([200, id])
  const late = await owner.patch(at(`/members/${id}`, organization), { expectedVersion: 1, role: 'owner' })
  expect([late.status, late.error.code, late.details]).toEqual([409, 'version_conflict', { currentVersion: 2 }])
  const again = await aSignedInBrowser(api, user)
  const body = { firstName: 'Ada' }
  const refused = await again.post(at('/crm/contacts', organization), body)
  expect([refused.status, refused.error.code]).toEqual([403, 'insufficient_scope'])
  expect((await browser.get('/session')).status).toBe(401)
})

test('the end of a membership ends the way in, and keeps the account', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const { id, user } = await aMember(organization, 'manager')
  expect((await owner.delete(at(`/members/${id}`, organization))).status).toBe(200)
  const browser = await aSignedInBrowser(api, user)
  expect((await browser.get('/session')).data.organizations).toEqual([])
  expect((await browser.get(at('/crm/contacts', organization))).status).toBe(404)
})

test('the last owner can neither be removed nor get another role', async () => {
  const organization = await anOrganization(api)
  const { id, browser: owner } = await aMember(organization, 'owner')
  const demoted = await owner.patch(at(`/members/${id}`, organization), { expectedVersion: 1, role: 'manager' })
  expect([demoted.status, demoted.error.code]).toEqual([422, 'validation_error'])
  const removed = await owner.delete(at(`/members/${id}`, organization))
  expect([removed.status, removed.error.code]).toEqual([422, 'validation_error'])
  expect((await owner.get(at('/members', organization))).items).toMatchObject([{ id, role: 'owner' }])
})

test('the operator of a member stays until the membership has ended', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const { id } = await aMember(organization, 'member')
  const path = at(`/settings/operators/${id}`, organization)
  expect(await owner.delete(path)).toMatchObject({
    status: 422,
    details: { issues: [{ rule: 'member', message: expect.stringContaining('remove the member first') }] },
  })
  await owner.delete(at(`/members/${id}`, organization))
  expect((await owner.delete(path)).status).toBe(200)
})

test('an invitation ends with the role or the membership of the owner who has sent it', async () => {
  const organization = await anOrganization(api)
  const { browser: first } = await aMember(organization, 'owner')
  const invite = async (by: Browser, name: string) => {
    const email = `${name}-${organization.id}@example.com`
    const { data } = await by.post(at('/members', organization), { email, name, role: 'owner' })
    return textOf(data.link)
  }
  const kept = await invite(first, 'kept')
  const [demoted, removed] = [await aMember(organization, 'owner'), await aMember(organization, 'owner')]
  const ended = [await invite(demoted.browser, 'one'), await invite(removed.browser, 'two')]
  await first.patch(at(`/members/${demoted.id}`, organization), { expectedVersion: 1, role: 'manager' })
  await first.delete(at(`/members/${removed.id}`, organization))
  const looked = await Promise.all([kept, ...ended].map(link => new Browser(api).post('/links/look', { link })))
  expect(looked.map(({ status }) => status)).toEqual([200, 410, 410])
})

test.each(['manager', 'member', 'read_only'] as const)('a %s sees the members and changes none of them', async role => {
  const organization = await anOrganization(api)
  const { id } = await aMember(organization, 'owner')
  const { browser } = await aMember(organization, role)
  expect((await browser.get(at('/members', organization))).items).toHaveLength(2)
  const email = 'friend@example.com'
  for (const answer of [
    await browser.post(at('/members', organization), { email, name: 'A Friend', role: 'owner' }),
    await browser.patch(at(`/members/${id}`, organization), { expectedVersion: 1, role: 'read_only' }),
    await browser.delete(at(`/members/${id}`, organization)),
  ])
    expect([answer.status, answer.details.missingScopes]).toEqual([403, ['members_manage']])
})

test('who has not entered a password for ten minutes is asked for it before members change', async () => {
  const organization = await anOrganization(api)
  const { id, browser: owner } = await aMember(organization, 'owner')
  clock.advance(601_000)
  for (const answer of [
    await owner.post(at('/members', organization), { email: 'a@example.com', name: 'Ann', role: 'member' }),
    await owner.patch(at(`/members/${id}`, organization), { expectedVersion: 1, role: 'member' }),
    await owner.delete(at(`/members/${id}`, organization)),
  ])
    expect([answer.status, answer.error.code]).toEqual([403, 'fresh_sign_in_required'])
})

test('a wrong invitation says all that is wrong with it, and a member of another organization looks as if there were none', async () => {
  const organization = await anOrganization(api)
  const { browser: owner } = await aMember(organization, 'owner')
  const wrong = await owner.post(at('/members', organization), { email: 'nobody', name: '', role: 'king' })
  expect([wrong.status, wrong.error.code]).toEqual([400, 'validation_error'])
  const other = await aMember(await anOrganization(api), 'member')
  for (const answer of [
    await owner.patch(at(`/members/${other.id}`, organization), { expectedVersion: 1, role: 'member' }),
    await owner.delete(at(`/members/${other.id}`, organization)),
  ])
    expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
})
