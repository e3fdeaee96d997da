import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { createMetricsToken, createToken, rotateToken } from '../../server/src/settings/index.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { administrationOf, anApplication, environmentOf } from './support/installations.ts'

const processes = useProcesses()
const hour = 3_600_000
const day = 24 * hour

/** The lines on requests in what a server has logged. */
function requestsIn(log: string): JsonObject[] {
  const lines = log.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  return lines.filter(isObject).filter(({ msg }) => msg === 'request')
}

test('the access log has the route and the outcome of each request, and nothing that the client sent', async () => {
  const made = await createTestDatabase(2)
  const environment = await environmentOf(processes, made)
  const { token } = await anApplication(made.database)
  const server = await processes.serve({ ...environment, ACCESS_LOG: 'all' })
  const client = new Client(server.url, token)
  const { data } = await client.post('/contacts', aContact({ lastName: 'Quillfeather' }))
  const whole = await client.get(`/contacts/${data.id}?colour=hidden-words`, {
    headers: { 'x-request-id': 'secret-of-mine' },
  })
  await client.call('HEAD', `/contacts/${data.id}`)
  await client.get('/no-such-place')
  await new Client(server.url, 'crm_live_no.token').get('/contacts')
  await fetch(`${server.url}/readyz`)

  const lines = await until('the lines of all requests', () => {
    const found = requestsIn(server.err)
    return found.length === 5 ? found : null
  })
  const { application } = (await client.get('/capabilities')).data
  const ours = { application: isObject(application) ? application.id : null, ms: expect.any(Number) }
  expect(lines.map(({ level: _, time: __, msg: ___, ...line }) => line)).toEqual([
    {
      requestId: expect.any(String),
      operation: 'contacts.create',
      method: 'POST',
      ...ours,
      status: 201,
      bytes: expect.any(Number),
    },
    {
      requestId: whole.error.requestId,
      operation: 'contacts.get',
      method: 'GET',
      ...ours,
      status: 400,
      bytes: JSON.stringify(whole.body).length,
      code: 'validation_error',
    },
    { requestId: expect.any(String), operation: 'contacts.get', method: 'HEAD', ...ours, status: 200, bytes: 0 },
    expect.objectContaining({ operation: null, application: null, status: 404, code: 'not_found' }),
    expect.objectContaining({ operation: 'contacts.list', application: null, status: 401, code: 'invalid_token' }),
  ])
  expect(server.err).not.toMatch(/Quillfeather|hidden-words|secret-of-mine|no-such-place|crm_live/u)
  await server.end('SIGTERM')
})

test('the access log is off by default, or has failures alone; metrics count tokens that are about to expire', async () => {
  const made = await createTestDatabase(2)
  const environment = await environmentOf(processes, made)
  const { organizationId, token } = await anApplication(made.database)
  const ending = async (name: string, expiresIn: number) =>
    createToken(administrationOf(made.database), {
      organizationId,
      applicationId: String(Object((await new Client(server.url, token).get('/capabilities')).data.application).id),
      name,
      scopes: ['crm_contacts_read'],
      expiresIn,
    })
  const server = await processes.serve({ ...environment, ACCESS_LOG: 'errors' })
  const soon = await ending('soon', 13 * day)
  await ending('later', 15 * day)
  const expiring = async () =>
    (await (await fetch(`${server.url}/metrics`)).text())
      .split('\n')
      .filter(line => line.startsWith('crm_tokens_expiring'))
  const counted = ['crm_tokens_expiring{kind="application"} 1', 'crm_tokens_expiring{kind="metrics"} 1']
  await createMetricsToken(made, { name: 'prometheus', expiresIn: day })
  expect(await expiring()).toEqual(counted)
  // The one in its place ends at the same time, and counts in its stead.
  await rotateToken(administrationOf(made.database), { organizationId, tokenId: soon.id, overlap: day })
  expect(await expiring()).toEqual(counted)
  await new Client(server.url, token).get('/contacts')
  await new Client(server.url, token).get('/contacts?limit=0')
  const { err } = await server.end('SIGTERM')
  expect(requestsIn(err).map(({ operation, status }) => [operation, status])).toEqual([['contacts.list', 400]])

  const silent = await processes.serve(environment)
  await new Client(silent.url, token).get('/contacts?limit=0')
  expect(requestsIn((await silent.end('SIGTERM')).err)).toEqual([])
})
