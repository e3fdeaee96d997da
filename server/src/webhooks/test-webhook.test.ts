import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCalledServer } from '../../../test/support/called-server.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { aWebhook, webhookAdministration } from '../../../test/support/webhooks.ts'
import { Secret, systemClock } from '../kernel/index.ts'
import { Outbound } from '../kernel/outbound/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { createApplication, createOrganization, createToken, pauseWebhook, rotateWebhook } from '../settings/index.ts'
import { testWebhook } from './test-webhook.ts'

let test: TestDatabase
let organizationId: string
let applicationId: string
let outbound: Outbound

beforeAll(async () => {
  test = await createTestDatabase()
  outbound = new Outbound({ allowedNetworks: ['127.0.0.1'] })
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
  applicationId = (await createApplication(test, { organizationId, name: 'ERP' })).id
  await createToken(test, { organizationId, applicationId, name: 'Sync', scopes: ['all'] })
})
afterAll(() => test?.drop())

const headers = [
  { name: 'X-Tenant', value: '0a1b2c3d' },
  { name: 'Authorization', value: 'Bearer 0a1b2c3d-credential' },
  { name: 'User-Agent', value: 'Acme' },
]

async function aWebhookOf(port: number) {
  return aWebhook(test, { id: organizationId, applicationId }, { url: `http://127.0.0.1:${port}/crm?a=b`, headers })
}

const testOf = (id: string, parts: object = {}, organization = organizationId) =>
  testWebhook({ organizationId: organization, id }, { ...test, outbound, clock: systemClock, ...parts })

describe('a test of a webhook', () => {
  it('sends one signed message with the headers of the webhook, which may be paused', async () => {
    const server = await aCalledServer((_request, response) => response.writeHead(202).end('Thanks'))
    const { id, secret } = await aWebhookOf(server.port)
    await pauseWebhook(webhookAdministration(test), { organizationId, id })
    expect(await testOf(id)).toEqual({
      status: 202,
      milliseconds: expect.any(Number),
      answer: 'Thanks',
      isCut: false,
    })
    const [received, another] = server.received
    if (received === undefined) throw new Error('nothing was received')
    expect(another).toBeUndefined()
    expect(received).toMatchObject({ method: 'POST', path: '/crm?a=b' })
    expect(received.headers).toMatchObject({
      authorization: 'Bearer 0a1b2c3d-credential',
      'user-agent': 'Acme',
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^test_[0-9a-f-]{36}$/u),
    })
    const signed = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]))
    expect(new Webhook(secret).verify(received.body, signed)).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
      data: {},
    })
  })

  it('is signed with both secrets during an overlap, and with one after it', async () => {
    const server = await aCalledServer()
    const { id, secret: former } = await aWebhookOf(server.port)
    const { secret } = await rotateWebhook(test, { organizationId, id, overlap: 3_600_000 })
    await testOf(id)
    await testOf(id, { clock: { now: () => Date.now() + 3_700_000 } })
    const [during, after] = server.received.map(({ headers: sent, body }) => {
      const signed = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]))
      return { body, signed, count: String(sent['webhook-signature']).split(' ').length }
    })
    expect([during?.count, after?.count]).toEqual([2, 1])
    for (const known of [secret, former]) new Webhook(known).verify(during?.body ?? '', during?.signed ?? {})
  })

  it('shows the first 1,024 bytes of an answer, cut between characters', async () => {
    const server = await aCalledServer((_request, response) => response.end(`x${'ä'.repeat(2000)}`))
    const { id } = await aWebhookOf(server.port)
    const { answer, isCut } = await testOf(id)
    expect([answer, isCut]).toEqual([`x${'ä'.repeat(511)}`, true])
  })

  it('shows no credential that the receiver repeats, not even where the answer is cut', async () => {
    const server = await aCalledServer((request, response) => {
      const sent = String(request.headers.authorization)
      response.end(`${sent} ${sent.slice(7)} `.repeat(100))
    })
    const { id } = await aWebhookOf(server.port)
    const { answer } = await testOf(id)
    expect(answer).toContain('[header] [header]')
    expect(answer).not.toMatch(/0a1b|credential/u)
  })

  it('says why no answer came', async () => {
    const gone = await aCalledServer((request, _response) => request.socket.destroy())
    const { id } = await aWebhookOf(gone.port)
    await expect(testOf(id)).rejects.toThrow(/^unreachable: /u)
    const guarded = { outbound: new Outbound({ allowedNetworks: [] }) }
    await expect(testOf(id, guarded)).rejects.toThrow('forbidden: 127.0.0.1 is no public address')
  })

  it('with another secret of the installation sends nothing', async () => {
    const server = await aCalledServer()
    const { id } = await aWebhookOf(server.port)
    const other = { secret: new Secret('another secret of the tests, long enough') }
    await expect(testOf(id, other)).rejects.toThrow('a secret of the webhook cannot be decrypted')
    expect(server.connections()).toBe(0)
  })

  it('takes no secret from another webhook', async () => {
    const server = await aCalledServer()
    const [one, other] = [await aWebhookOf(server.port), await aWebhookOf(server.port)]
    const copied = `update webhook_subscriptions t set secret = o.secret from webhook_subscriptions o
      where t.organization_id = $1 and o.organization_id = $1 and t.id = $2 and o.id = $3 returning 1`
    await test.database.query(statement('test_copy_secret', copied), [organizationId, one.id, other.id])
    await expect(testOf(one.id)).rejects.toThrow('a secret of the webhook cannot be decrypted')
  })

  it('knows the webhooks of one organization alone', async () => {
    const server = await aCalledServer()
    const { id } = await aWebhookOf(server.port)
    const { id: elsewhere } = await createOrganization(test, { name: 'Other' })
    await expect(testOf(id, {}, elsewhere)).rejects.toThrow(`no such webhook: ${id}`)
    const unknown = newId()
    await expect(testOf(unknown)).rejects.toThrow(`no such webhook: ${unknown}`)
    expect(server.connections()).toBe(0)
  })
})
