import { describe, expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { allBut, useApi } from './support/given.ts'
import { rawCall } from './support/raw.ts'
import { aBody, aRequest, named, send, unknownId } from './support/requests.ts'
import { aToken } from './support/tokens.ts'

const given = useApi()
const mebibyte = 1024 * 1024
const withBody = operations.filter(({ method }) => method !== 'GET')

describe.each(named(withBody))('%s', (_, operation) => {
  const limitBytes = operation.path.includes('/batch/') ? 5 * mebibyte : mebibyte
  const path = operation.path.replaceAll(/\{\w+\}/gu, unknownId)

  async function sendUnfinished(content: { body?: string; contentLength?: number }, granted = allBut()) {
    const token = await aToken(given, await given.shared(), { granted })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return rawCall(given.api, { method: operation.method, path, headers, ...content })
  }

  it('refuses a longer body by its declared length, before it has come, with the rate headers', async () => {
    const { status, error, headers } = await sendUnfinished({ contentLength: limitBytes + 1 })
    expect([status, error.code, error.details]).toEqual([413, 'payload_too_large', { limitBytes }])
    expect(headers['ratelimit-limit']).toBeDefined()
    expect(headers.connection).toBe('close')
  })

  it('answers a missing scope before the size', async () => {
    expect((await sendUnfinished({ contentLength: limitBytes + 1 }, [])).status).toBe(403)
  })

  it('takes a body of exactly the limit', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const raw = JSON.stringify(request.body ?? { expectedVersion: 1 }).padEnd(limitBytes, ' ')
    expect(operation.success).toContain((await send(organization.client, request, { raw })).status)
  })
})

describe('a body without declared length', () => {
  it('is refused as soon as more than the limit has come', async () => {
    const token = await aToken(given, await given.shared())
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = ' '.repeat(mebibyte + 1)
    const path = '/api/v1/crm/contacts'
    const { status, error } = await rawCall(given.api, {
      method: 'POST',
      path,
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      body,
    })
    expect([status, error.code, error.details]).toEqual([413, 'payload_too_large', { limitBytes: mebibyte }])
  })

  it('is served up to the limit', async () => {
    const organization = await given.shared()
    const token = await aToken(given, organization)
    const { status } = await rawCall(given.api, {
      method: 'POST',
      path: '/api/v1/crm/contacts',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'chunked',
        'transfer-encoding': 'chunked',
      },
      body: JSON.stringify(await aBody('contact', organization)).padEnd(mebibyte, ' '),
    })
    expect(status).toBe(201)
  })
})
