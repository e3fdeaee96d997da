import { describe, expect, it } from 'vitest'
import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { operations } from '../../server/src/modules.ts'
import { allBut, useApi } from './support/given.ts'
import { rawCall } from './support/raw.ts'
import { aBody, aRequest, named, send, unknownId } from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'
import { aToken } from './support/tokens.ts'

const given = useApi()
const mebibyte = 1024 * 1024
const withBody = operations.filter(({ method }) => method !== 'GET')

function limitOf({ path, method }: Operation): number {
  if (method === 'POST' && path.endsWith('/files')) return 101 * mebibyte
  if (path.endsWith('/imports') || (method === 'PUT' && path.endsWith('/files/{fileId}'))) return 26 * mebibyte
  return /\/batch\/|\/bulk-jobs$/u.test(path) ? 5 * mebibyte : mebibyte
}

const isForm = (operation: Operation) => operation.body !== null && jsonBodyOf(operation) === null
const mediaTypeOf = (operation: Operation) =>
  isForm(operation) ? 'multipart/form-data; boundary=parts' : 'application/json'

/** The head of a request whose body does not come. */
async function announce(operation: Operation, contentLength: number, granted = allBut()) {
  const { method, path } = operation
  const token = await aToken(given, await given.shared(), { granted })
  const headers = { authorization: `Bearer ${token}`, 'content-type': mediaTypeOf(operation) }
  return rawCall(given.api, { method, path: path.replaceAll(/\{\w+\}/gu, unknownId), headers, contentLength })
}

describe.each(named(withBody))('%s', (_, operation) => {
  it('refuses a longer body by its declared length, before it has come, with the rate headers', async () => {
    const limitBytes = limitOf(operation)
    const { status, error, headers } = await announce(operation, limitBytes + 1)
    expect([status, error.code, error.details]).toEqual([413, 'payload_too_large', { limitBytes }])
    expect(headers['ratelimit-limit']).toBeDefined()
    expect(headers.connection).toBe('close')
  })
})

/** Those of forms are sent in test/conformance/upload-bounds.test.ts. */
const withJson = oneOfEachShape(withBody).filter(operation => jsonBodyOf(operation) !== null)

describe.each(named(withJson))('%s', (_, operation) => {
  it('answers a missing scope before the size', async () => {
    expect((await announce(operation, limitOf(operation) + 1, [])).status).toBe(403)
  })

  it('takes a body of exactly the limit', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const raw = JSON.stringify(request.body ?? { expectedVersion: 1 }).padEnd(limitOf(operation), ' ')
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
