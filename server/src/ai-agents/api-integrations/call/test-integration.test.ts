import { beforeAll, describe, expect, it } from 'vitest'
import { useApi } from '../../../../../test/conformance/support/given.ts'
import { anIntegration } from '../../../../../test/conformance/support/integrations.ts'
import { aCalledTlsServer } from '../../../../../test/support/called-server.ts'
import type { TestOrganization } from '../../../../../test/support/organization.ts'
import { Outbound } from '../../../kernel/outbound/index.ts'
import { type JsonObject, newId } from '../../../kernel/schema/index.ts'
import { testIntegration } from './test-integration.ts'

const given = useApi()
let organization: TestOrganization
beforeAll(async () => {
  organization = await given.organization()
})

// Its Base64 has `+` and `/`, in which the two alphabets differ.
const secret = 'sk+live/4eC39"Hq=ä>>>???~~~'

type Called = Awaited<ReturnType<typeof aCalledTlsServer>>

/** Calls the server by way of an integration of the organization. */
async function testOf(server: Called, members: JsonObject = {}, parameters: unknown = { orderNumber: 'A 7' }) {
  const url = `https://crm.test:${server.port}/orders/{orderNumber}`
  const { id } = await anIntegration(organization, {
    url,
    auth: { type: 'basic', username: 'crm' },
    secret,
    ...members,
  })
  const outbound = new Outbound({
    allowedNetworks: ['127.0.0.1'],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    authorities: server.certificate,
  })
  const { database, secret: installation } = given.api.services
  const test = { organizationId: organization.id, id: String(id), parameters }
  return testIntegration(test, { database, secret: installation, outbound })
}

describe('a test of an integration', () => {
  it('sends the request of the integration with its secret, and shows the answer', async () => {
    const server = await aCalledTlsServer(['crm.test'], (_request, response) => {
      response
        .writeHead(404, { 'content-type': 'text/plain', location: '/elsewhere', 'set-cookie': 'a=b' })
        .end('No order')
    })
    const tested = await testOf(server, {
      method: 'POST',
      enabled: false,
      headers: [{ name: 'Accept', value: 'text/plain' }],
      bodyTemplate: '{"a": 1}',
    })
    expect(tested).toEqual({
      method: 'POST',
      url: `https://crm.test:${server.port}/orders/A%207`,
      status: 404,
      milliseconds: expect.any(Number),
      headers: { 'content-type': 'text/plain', location: '/elsewhere' },
      body: 'No order',
      isCut: false,
    })
    expect(server.received).toMatchObject([{ method: 'POST', path: '/orders/A%207', body: '{"a": 1}' }])
    expect(server.received[0]?.headers).toMatchObject({
      accept: 'text/plain',
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`crm:${secret}`).toString('base64')}`,
    })
  })

  it('shows the secret in no form in which the other system repeats it', async () => {
    const bytes = Buffer.from(secret)
    const credentials = Buffer.from(`crm:${secret}`).toString('base64')
    const forms = [
      ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
      ...[
        bytes.toString('base64'),
        bytes.toString('base64url'),
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
      ],
      credentials,
    ]
    const server = await aCalledTlsServer(['crm.test'], (_request, response) => {
      const told = { 'www-authenticate': `Basic realm="${credentials}"`, 'x-request-id': encodeURIComponent(secret) }
      response.writeHead(401, told).end(forms.map(form => `<${form}>`).join('\n'))
    })
    const { headers, body, ...rest } = await testOf(server)
    expect(body.replaceAll('[secret]==', '[secret]').replaceAll('[secret]=', '[secret]')).toBe(
      forms.map(() => '<[secret]>').join('\n'),
    )
    expect(headers).toMatchObject({ 'www-authenticate': 'Basic realm="[secret]"', 'x-request-id': '[secret]' })
    expect(JSON.stringify([headers, rest])).not.toContain('sk')
  })

  it('shows no part of a secret where the answer is cut', async () => {
    const long = 'abcdefghij'.repeat(400)
    const server = await aCalledTlsServer(['crm.test'], (_request, response) => response.end(long.repeat(100)))
    const { body, isCut } = await testOf(server, { secret: long })
    expect([isCut, body.replaceAll('[secret]', '')]).toEqual([true, ''])
  })

  it('shows the beginning of a long answer', async () => {
    const server = await aCalledTlsServer(['crm.test'], (_request, response) => response.end('x'.repeat(5000)))
    const { body, isCut } = await testOf(server)
    expect([body.length, isCut]).toEqual([4000, true])
  })

  it('is refused for wrong parameters before anything is sent', async () => {
    const server = await aCalledTlsServer(['crm.test'])
    await expect(testOf(server, {}, { order: 1 })).rejects.toThrow(
      'There is no parameter order; orderNumber is required',
    )
    expect(server.connections()).toBe(0)
  })

  it('says why no answer came', async () => {
    const server = await aCalledTlsServer(['other.test'])
    await expect(testOf(server)).rejects.toThrow(/^unreachable: .*crm\.test/u)
    const { id } = await anIntegration(organization, {
      url: 'https://127.0.0.1/',
      parameters: [],
      auth: { type: 'none' },
    })
    const { database, secret: installation } = given.api.services
    const parts = { database, secret: installation, outbound: new Outbound({ allowedNetworks: [] }) }
    const test = { organizationId: organization.id, id: String(id), parameters: {} }
    await expect(testIntegration(test, parts)).rejects.toThrow(/^forbidden: 127\.0\.0\.1 is no public address/u)
  })

  it('knows the integrations of one organization alone', async () => {
    const { id } = await anIntegration(await given.organization())
    const { database, secret: installation } = given.api.services
    const parts = { database, secret: installation, outbound: new Outbound({ allowedNetworks: [] }) }
    for (const unknown of [String(id), newId()]) {
      const test = { organizationId: organization.id, id: unknown, parameters: {} }
      await expect(testIntegration(test, parts)).rejects.toThrow(`no such integration: ${unknown}`)
    }
  })
})
