import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { Authentication, scopes } from '../kernel/index.ts'
import { grantableScopes } from '../modules.ts'
import {
  AdministrationError,
  createApplication,
  createOrganization,
  createToken,
  parseDuration,
  revokeToken,
  rotateToken,
  setApplication,
} from './index.ts'

const day = 86_400_000
const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }

let test: TestDatabase
let address: { organizationId: string; applicationId: string }

beforeAll(async () => {
  test = await createTestDatabase()
  address = await application({ name: 'Acme' })
})
afterAll(() => test?.drop())

async function application(input: { name: string; sandbox?: boolean }) {
  const { id: organizationId } = await createOrganization(test, input)
  const { id: applicationId } = await createApplication(test, { organizationId, name: 'ERP' })
  return { organizationId, applicationId }
}

const create = (input: object = {}) =>
  createToken({ ...test, clock }, { ...address, name: 'Sync', scopes: ['all'], ...input })

/** Asks anew each time, as a node that was just started. */
const caller = (token: string, ip = '192.0.2.1') => new Authentication(test.database, clock).authenticate(token, ip)

const rotate = (tokenId: string, overlap?: number) =>
  rotateToken({ ...test, clock }, { organizationId: address.organizationId, tokenId, overlap })

describe('a token', () => {
  it('authenticates its application with its scopes', async () => {
    const { id, token, scopes: granted } = await create({ scopes: ['crm_deals_read', 'crm_contacts_read'] })
    expect(token).toMatch(/^crm_live_/u)
    expect(token).toContain(id)
    expect(granted).toEqual(['crm_contacts_read', 'crm_deals_read'])
    expect(await caller(token)).toMatchObject({
      organization: { id: address.organizationId },
      keysOf: address.applicationId,
      credential: { application: { id: address.applicationId }, token: { id, expiresAt: null, cidrs: [] } },
    })
    expect((await create()).scopes).toEqual(scopes)
  })

  it('of a sandbox organization is of the environment test', async () => {
    const sandbox = await application({ name: 'Trial', sandbox: true })
    expect((await create(sandbox)).token).toMatch(/^crm_test_/u)
  })

  it('is accepted from its networks and until its expiry', async () => {
    const { token } = await create({ cidrs: ['10.0.0.0/8', '2001:db8::/32'], expiresIn: 90 * day })
    expect(await caller(token, '10.1.2.3')).not.toBeNull()
    expect(await caller(token, '192.0.2.1')).toBeNull()
    clock.time += 90 * day
    expect(await caller(token, '10.1.2.3')).toBeNull()
  })

  it.each([
    [{ scopes: ['crm_everything'] }, 'no such scope: crm_everything'],
    [{ scopes: [] }, 'a token needs at least one scope'],
    [{ cidrs: ['10.0.0.0/33'] }, '"10.0.0.0/33" is no network such as 10.0.0.0/8'],
    [{ expiresIn: 0 }, 'a token is valid for some time'],
    [{ applicationId: '00000000-0000-4000-8000-000000000000' }, 'no such application'],
    [{ name: '' }, 'the name of a token takes 1 to 200 characters'],
  ])('is refused for %o', async (input, reason) => {
    await expect(create(input)).rejects.toThrow(new RegExp(reason, 'u'))
  })

  it('is refused once it is revoked, or its application disabled', async () => {
    const { id: tokenId, token } = await create()
    await setApplication(test, { organizationId: address.organizationId, id: address.applicationId, enabled: false })
    expect(await caller(token)).toBeNull()
    await setApplication(test, { organizationId: address.organizationId, id: address.applicationId, enabled: true })
    expect(await caller(token)).not.toBeNull()
    const revoke = () => revokeToken({ ...test, clock }, { organizationId: address.organizationId, tokenId })
    expect(await revoke()).toEqual({ id: tokenId })
    expect(await caller(token)).toBeNull()
    await expect(revoke()).rejects.toThrow(`the token was revoked at ${new Date(clock.time).toISOString()}`)
    await expect(rotate(tokenId)).rejects.toThrow('the token is revoked: create a new one')
  })
})

describe('the scopes that can be granted', () => {
  const grantable = grantableScopes.map(({ scope }) => scope)

  it('are all named by the specification, and stand in its order', () => {
    expect(scopes.filter(scope => grantable.includes(scope))).toEqual(grantable)
  })

  it('are those that something of the product asks for, and no others', async () => {
    const [open] = scopes.filter(scope => !grantable.includes(scope))
    const by = { ...test, clock, grantableScopes: grantable }
    const ask = (asked: readonly string[]) => createToken(by, { ...address, name: 'Sync', scopes: asked })
    expect((await ask(['all'])).scopes).toEqual(grantable)
    await expect(ask([String(open)])).rejects.toThrow(`no such scope: ${open}`)
  })
})

describe('a rotated token', () => {
  it('has the rights and expiry of the old one, which ends at once', async () => {
    const old = await create({ scopes: ['crm_deals_read'], cidrs: ['10.0.0.0/8'], expiresIn: 30 * day })
    const before = await caller(old.token, '10.0.0.1')
    const next = await rotate(old.id)
    expect(next.scopes).toEqual(['crm_deals_read'])
    const after = await caller(next.token, '10.0.0.1')
    expect(after?.credential.token).toEqual({ ...before?.credential.token, id: next.id })
    expect(after?.credential.application).toEqual(before?.credential.application)
    expect(await caller(old.token, '10.0.0.1')).toBeNull()
  })

  it('leaves the old one valid for the overlap, but never beyond its own expiry', async () => {
    const [lasting, ending] = [await create(), await create({ expiresIn: 2 * day })]
    const [next] = [await rotate(lasting.id, 7 * day), await rotate(ending.id, 7 * day)]
    clock.time += 2 * day
    expect(await caller(ending.token)).toBeNull()
    expect(await caller(lasting.token)).not.toBeNull()
    clock.time += 5 * day
    expect(await caller(lasting.token)).toBeNull()
    expect(await caller(next.token)).not.toBeNull()
  })

  it('is refused for a long overlap, a token that has expired, was rotated or is unknown', async () => {
    const { id } = await create({ expiresIn: day })
    await expect(rotate(id, 7 * day + 1)).rejects.toThrow('an overlap is 7d at most')
    const next = await rotate(id, day)
    await expect(rotate(id)).rejects.toThrow(`the token was rotated already: rotate ${next.id}`)
    clock.time += day
    await expect(rotate(next.id)).rejects.toThrow('the token has expired: create a new one')
    await expect(rotate('nobody')).rejects.toThrow('no such token: nobody')
  })
})

describe('a duration', () => {
  it.each([
    ['90d', 90 * day],
    ['0s', 0],
    ['15m', 900_000],
    ['12h', day / 2],
  ])('%s is %i milliseconds', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds))

  it.each(['', '7', 'd', '-1d', '1.5h', '1w', ' 1d', '99999999999999999999d', '36501d'])('%o is none', text => {
    expect(() => parseDuration(text)).toThrow(AdministrationError)
  })
})
