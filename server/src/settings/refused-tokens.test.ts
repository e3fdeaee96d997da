import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { Authentication, bounds, type RefusedToken } from '../kernel/index.ts'
import {
  createApplication,
  createOrganization,
  createToken,
  type IssuedToken,
  listSettings,
  revokeToken,
  setApplication,
  token,
} from './index.ts'

const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }
const told: RefusedToken[] = []

let test: TestDatabase
let authentication: Authentication
let organizationId: string
let applicationId: string
beforeAll(async () => {
  test = await createTestDatabase()
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
  applicationId = (await createApplication(test, { organizationId, name: 'ERP' })).id
})
afterAll(() => test?.drop())

const create = (input: object = {}) =>
  createToken({ ...test, clock }, { organizationId, applicationId, name: 'Sync', scopes: ['all'], ...input })

/** What is told of one refusal by a server that has not yet told of any. */
async function refusalOf(text: string, address = '192.0.2.1'): Promise<readonly RefusedToken[]> {
  told.splice(0)
  authentication = new Authentication(test.database, clock, { onRefused: refused => told.push(refused) })
  expect(await authentication.authenticate(text, address)).toBeNull()
  return [...told]
}

/** What `token show` tells of it once the server has written it. */
async function shown({ id }: IssuedToken) {
  await authentication.stop()
  const tokens = await listSettings(test.database, token, { organizationId })
  const { lastRefusedAt, lastRefusedIp, lastRefusedReason } = tokens.find(each => each.id === id) ?? {}
  return { at: lastRefusedAt, ip: lastRefusedIp, reason: lastRefusedReason }
}

describe('a token that is refused', () => {
  async function expectTold(issued: IssuedToken, reason: string, address = '192.0.2.1') {
    const told = { reason, address, tokenId: issued.id, applicationId, organizationId }
    expect(await refusalOf(issued.token, address)).toEqual([told])
    expect(await shown(issued)).toEqual({ at: new Date(clock.time).toISOString(), ip: address, reason })
  }

  it('because it has expired, or comes from another network, is logged with the reason, and keeps it', async () => {
    const issued = await create({ cidrs: ['10.0.0.0/8'], expiresIn: 60_000 })
    await expectTold(issued, 'network', '2001:db8::7')
    clock.time += 60_000
    await expectTold(issued, 'expired', '10.0.0.1')
  })

  it('because it was revoked, or its application disabled, likewise', async () => {
    const issued = await create()
    await setApplication(test, { organizationId, id: applicationId, enabled: false })
    await expectTold(issued, 'application_disabled')
    await setApplication(test, { organizationId, id: applicationId, enabled: true })
    await revokeToken(test, { organizationId, tokenId: issued.id })
    await expectTold(issued, 'revoked')
  })

  it('because it is unknown is logged without its text, and the token that it resembles is not touched', async () => {
    const issued = await create()
    const unknown = [{ reason: 'unknown', address: '192.0.2.1' }]
    const wrongSecret = `${issued.token.slice(0, -1)}${issued.token.endsWith('A') ? 'B' : 'A'}`
    const otherWord = issued.token.replace('crm_live_', 'crm_test_')
    for (const text of [wrongSecret, otherWord, 'nonsense']) expect(await refusalOf(text)).toEqual(unknown)
    expect(await shown(issued)).toEqual({ at: null, ip: null, reason: null })
  })

  it('is logged once a second for each address, or network of IPv6', async () => {
    const issued = await create({ cidrs: ['10.0.0.0/8'] })
    expect(await refusalOf(issued.token)).toHaveLength(1)
    const again = async (address: string) => {
      await authentication.authenticate(issued.token, address)
      return told.length
    }
    clock.time += 999
    expect(await again('192.0.2.1')).toBe(1)
    expect(await again('2001:db8::1')).toBe(2)
    expect(await again('2001:db8::2')).toBe(2)
    clock.time += 1
    expect(await again('192.0.2.1')).toBe(3)
    // A clock that is set back silences nobody.
    clock.time -= 3_600_000
    expect(await again('192.0.2.1')).toBe(4)
  })

  it('is logged for a bounded number of addresses a second', async () => {
    await refusalOf('nonsense')
    const { most } = bounds.refusalAddresses
    for (let number = 0; number < most + 100; number += 1) {
      await authentication.authenticate('nonsense', `10.0.${number >> 8}.${number & 255}`)
    }
    expect(told).toHaveLength(most)
    clock.time += 1000
    await authentication.authenticate('nonsense', '10.9.9.9')
    expect(told.at(-1)).toEqual({ reason: 'unknown', address: '10.9.9.9' })
  })
})
