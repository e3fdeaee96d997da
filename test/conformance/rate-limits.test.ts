import { describe, expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { aContact } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { aBody, aRequest, named, outcome, send, unknownId } from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'

const given = useApi()
const remaining = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'))

let unlike: Promise<Client> | undefined

/** A client with another limit for reads than for writes. */
async function withUnlikeLimits(): Promise<Client> {
  const organization = await given.organization()
  const text = 'update applications set rate_read = 1000, rate_write = 2000 where id = $1'
  await given.configure(organization, text, [organization.applicationId])
  return organization.token(allBut())
}

it.each(named(operations))('%s is counted in its bucket', async (_, { method, path }) => {
  unlike ??= withUnlikeLimits()
  const { headers } = await (await unlike).call(method, path.replaceAll(/\{\w+\}/gu, unknownId))
  expect(headers.get('ratelimit-limit')).toBe(method === 'GET' ? '1000' : '2000')
})

describe.each(named(oneOfEachShape(operations)))('%s', (_, operation) => {
  const bucket = operation.method === 'GET' ? 'read' : 'write'

  it(`costs one of the ${bucket} bucket, and past the limit answers 429`, async () => {
    given.clock.set('2026-03-02T11:00:15.000Z')
    const organization = await given.organization()
    const request = await aRequest(operation, organization)
    await given.configure(
      organization,
      `update applications set rate_read = 1000000 + $2::integer, rate_write = 1000000 + $3::integer where id = $1`,
      [organization.applicationId, bucket === 'read' ? -999_999 : 0, bucket === 'write' ? -999_999 : 0],
    )
    given.clock.set('2026-03-02T11:01:15.000Z')
    const client = await organization.token(allBut())
    const first = await send(client, request)
    expect(operation.success).toContain(first.status)
    expect(first.headers.get('ratelimit-limit')).toBe('1')
    expect(remaining(first)).toBe(0)
    const { status, error, headers, details } = await send(client, request)
    expect([status, error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(details).toEqual({ bucket, limit: 1, windowSeconds: 60, retryAfterSeconds: 45 })
    for (const [name, value] of [
      ['retry-after', '45'],
      ['ratelimit-reset', '45'],
      ['ratelimit-remaining', '0'],
      ['ratelimit-limit', '1'],
    ] as const)
      expect([name, headers.get(name)]).toEqual([name, value])
    const other = bucket === 'read' ? await client.post('/contacts', aContact()) : await client.get('/contacts')
    expect(other.status).not.toBe(429)
  })
})

describe('the window', () => {
  it('begins with the minute of the clock: Reset counts down from 60 to 1 and then all is given back', async () => {
    const { client } = await given.organization({ rates: 3 })
    given.clock.set('2026-03-02T12:00:00.000Z')
    const first = await client.get('/contacts')
    expect([first.headers.get('ratelimit-reset'), remaining(first)]).toEqual(['60', 2])
    given.clock.set('2026-03-02T12:00:59.999Z')
    const last = await client.get('/contacts')
    expect([last.headers.get('ratelimit-reset'), remaining(last)]).toEqual(['1', 1])
    given.clock.set('2026-03-02T12:01:00.000Z')
    expect(remaining(await client.get('/contacts'))).toBe(2)
  })

  it('serves again after Retry-After seconds', async () => {
    given.clock.set('2026-03-02T12:10:41.000Z')
    const { client } = await given.organization({ rates: 1 })
    await client.get('/contacts')
    const refused = await client.get('/contacts')
    expect(refused.headers.get('retry-after')).toBe('19')
    given.clock.advance(19_000)
    expect((await client.get('/contacts')).status).toBe(200)
  })
})

describe('the quota', () => {
  it('belongs to the application: its tokens share it, another application has its own', async () => {
    given.clock.set('2026-03-02T13:00:00.000Z')
    const { client, token, application } = await given.organization({ rates: 10 })
    expect(remaining(await client.get('/contacts'))).toBe(9)
    expect(remaining(await (await token(allBut())).get('/contacts'))).toBe(8)
    expect(remaining(await (await application()).client.get('/contacts'))).toBe(9)
  })

  it('is spent by HEAD like by GET', async () => {
    const { client } = await given.organization({ rates: 10 })
    expect(remaining(await client.call('HEAD', '/contacts'))).toBe(9)
    expect(remaining(await client.get('/contacts'))).toBe(8)
  })

  it('is spent by refusals from 400 on, by replays and by the 403 of values', async () => {
    const organization = await given.organization({ rates: 20 })
    const { client } = organization
    const body = await aBody('contact', organization)
    expect(remaining(await client.post('/contacts', body, { key: 'one' }))).toBe(19)
    expect(remaining(await client.post('/contacts', body, { key: 'one' }))).toBe(18)
    expect(remaining(await client.post('/contacts', {}))).toBe(17)
    expect(remaining(await client.patch(`/contacts/${unknownId}`, { expectedVersion: 1 }))).toBe(16)
    const limited = await organization.token(allBut('crm_contact_data_write'))
    expect(remaining(await limited.post('/contacts', body))).toBe(15)
    expect(remaining(await client.post('/contacts', aContact()))).toBe(14)
  })

  it('is not spent by a missing scope or an unknown route', async () => {
    const organization = await given.organization({ rates: 10 })
    const limited = await organization.token(allBut('crm_contacts_read'))
    await limited.get('/contacts')
    await organization.client.get('/pets')
    expect(remaining(await organization.client.get('/contacts'))).toBe(9)
  })

  it('hides faults of the request when it is spent, and the body is not read', async () => {
    given.clock.set('2026-03-02T14:00:00.000Z')
    const { client } = await given.organization({ rates: 1 })
    await client.post('/contacts', aContact())
    expect(outcome(await client.post('/contacts', {}, { raw: '{', key: null }))).toBe('429 rate_limit_exceeded')
    expect(outcome(await client.post('/contacts', {}, { raw: ' '.repeat(2 ** 21) }))).toBe('429 rate_limit_exceeded')
  })
})
