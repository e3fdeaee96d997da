import { expect, test } from 'vitest'
import { valueAt } from '../../packages/cli/src/json.ts'
import { useCrm } from './support/given.ts'

const given = useCrm()

test('any request of the API can be sent, and a list read to its end', async () => {
  const items = Array.from({ length: 7 }, (_, at) => ({ externalId: `p${at}`, firstName: 'A' }))
  const sent = await given.crm(['api', 'POST', '/contacts/batch/upsert', '--data', JSON.stringify({ items })])
  expect(sent.out.trimEnd().split('\n')).toHaveLength(7)
  const page = await given.crm(['api', 'get', '/contacts?limit=3'])
  expect(page.out.trimEnd().split('\n')).toHaveLength(3)
  const all = await given.crm(['api', 'GET', '/contacts?limit=3', '--paginate'])
  expect(all.out.trimEnd().split('\n')).toHaveLength(7)
  const whole = await given.crm(['api', 'GET', '/api/v1/crm/capabilities', '--fields', 'apiVersion'])
  expect(whole.out).toBe('{"apiVersion":"v1"}\n')
})

test('a list is read to its end from the cursor in its route, and the change feed is not', async () => {
  const items = Array.from({ length: 5 }, (_, at) => ({ externalId: `p${at}`, firstName: 'A' }))
  await given.organization.client.post('/contacts/batch/upsert', { items })
  const read: unknown = await fetch(`${given.api.url}/api/v1/crm/contacts?limit=2`, {
    headers: { authorization: `Bearer ${given.organization.client.token}` },
  }).then(response => response.json())
  const route = `/contacts?limit=2&cursor=${encodeURIComponent(String(valueAt(read, 'meta.nextCursor')))}`
  const rest = await given.crm(['api', 'GET', route, '--paginate'])
  expect(rest.out.trimEnd().split('\n')).toHaveLength(3)
  const feed = await given.crm(['api', 'GET', '/changes?after=x', '--paginate'])
  expect(feed).toMatchObject({ status: 2, err: expect.stringContaining('crm changes follow reads it') })
})

test('status and headers are told beside the data, also of a refusal', async () => {
  const done = await given.crm(['api', 'GET', '/tasks', '-i', '-H', 'X-Request-Id: told-by-me'])
  expect(done).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringMatching(/^HTTP 200\n[^]*x-request-id: told-by-me\n/u),
  })
  const refused = await given.crm(['api', 'GET', '/tasks?limit=0', '-i'])
  expect(refused).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^HTTP 400\n[^]*\ncrm: .*validation_error/u),
  })
})

test('a write that is repeated with its key is executed once', async () => {
  const words = ['api', 'POST', '/tasks', '--data', '{"title":"Call"}', '--idempotency-key', 'once', '--fields', 'id']
  const [first, second] = [await given.crm(words), await given.crm(words)]
  expect(first.status).toBe(0)
  expect(second.out).toBe(first.out)
})

test('what is no request is a wrong use', async () => {
  const usage = (words: readonly string[], said: string) =>
    expect(given.crm(['api', ...words])).resolves.toMatchObject({ status: 2, err: expect.stringContaining(said) })
  await usage(['FETCH', '/tasks'], 'the method is one of')
  await usage(['GET', 'tasks'], 'a route begins with /')
  await usage(['GET', '//example.org/'], 'a route begins with /')
  await usage(['POST', '/tasks', '--data', '{'], '--data is no JSON')
  await usage(['POST', '/tasks', '--data', '[]'], '--data must be a JSON object')
  await usage(['POST', '/tasks', '--paginate'], '--paginate is for GET alone')
})
