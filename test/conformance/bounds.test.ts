import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
})
afterAll(() => api.close())

const members = (count: number, name = 'unknown') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]))

describe('a refusal lists some faults and counts all:', () => {
  test('a hundred issues of a record, and how many there are', async () => {
    const { status, details } = await organization.client.post('/contacts', { firstName: 'Anna', ...members(130) })
    expect(status).toBe(400)
    expect(details.issues).toHaveLength(100)
    expect(details.issueCount).toBe(130)
  })

  test('a hundred issues of a whole batch, and of each further element the first', async () => {
    const items = Array.from({ length: 30 }, (_, index) => ({ externalId: `wrong-${index}`, ...members(40) }))
    const { items: elements } = await organization.client.post('/contacts/batch/upsert', { items })
    const counts = elements.map(({ error }) => Object(error).details)
    expect(counts.map(({ issueCount }) => issueCount)).toEqual(items.map(() => 40))
    expect(counts.map(({ issues }) => issues.length)).toEqual([40, 40, 20, ...Array.from({ length: 27 }, () => 1)])
  })

  test('the objects that are too wide, before the body is parsed', async () => {
    const items = Array.from({ length: 12 }, (_, index) => ({ externalId: `wide-${index}`, ...members(1500) }))
    const { status, details } = await organization.client.post('/contacts/batch/upsert', { items })
    expect([status, details.issueCount]).toEqual([400, 12])
    expect(Object(details.issues)[11]).toMatchObject({ path: '/items/11', rule: 'maxProperties' })
  })

  test('a message quotes a short part of the request', async () => {
    const name = 'n'.repeat(500_000)
    const { status, error } = await organization.client.post('/contacts', { firstName: 'Anna', [name]: 1 })
    expect(status).toBe(400)
    expect(JSON.stringify(error).length).toBeLessThan(1500)
    expect(Object(error.details).issues[0].path).toBe(`/${'n'.repeat(199)}…`)
  })
})

test('a search takes any number of words', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 10}`).join('%20')
  const search = (text: string) => organization.client.get(`/contacts?search=${text}`)
  for (const count of [8, 9, 50]) expect((await search(words(count))).status).toBe(200)
  expect((await search(Array.from({ length: 60 }, () => 'ab').join('%20'))).status).toBe(200)
})

const addEvents = statement(
  'test_add_events',
  `insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
     occurred_at, actor_type, request_id, transaction_id)
   select $1, f.seq + n, gen_random_uuid(), 'contact.created', 'contact', gen_random_uuid(), 'created', 1, '{}',
          now(), 'application', gen_random_uuid(), gen_random_uuid()
     from organization_feed f, generate_series(1, 25000) as n
    where f.organization_id = $1`,
)
const raiseFeed = statement(
  'test_raise_feed',
  'update organization_feed set seq = seq + 25000 where organization_id = $1',
)

test('a page of the feed looks at ten thousand numbers, and goes on behind them without leaving any out', async () => {
  const other = await anOrganization(api)
  const start = String((await other.client.get('/changes/cursor')).data.cursor)
  const { database } = api.test
  await database.search(addEvents, [other.id])
  await database.search(raiseFeed, [other.id])
  await other.client.post('/tasks', { title: 'Call' })
  const pages = []
  for (let after = start; pages.length < 10; ) {
    const { items, meta } = await other.client.get(`/changes?after=${after}&resourceTypes=task`)
    const { range, hasMore, nextCursor } = Object(meta)
    pages.push([items.length, range.toSeq - range.fromSeq, range.filtered, hasMore])
    after = nextCursor
    if (!hasMore) break
  }
  expect(pages).toEqual([
    [0, 10_000, 10_000, true],
    [0, 10_000, 10_000, true],
    [1, 5001, 5000, false],
  ])
})

test('large answers of many clients at once are whole, whatever their size, and small ones come in between', async () => {
  const other = await anOrganization(api)
  const description = 'd'.repeat(10_000)
  const items = Array.from({ length: 100 }, (_, index) => ({
    externalId: `large-${index}`,
    lastName: 'L',
    description,
  }))
  await other.client.post('/contacts/batch/upsert', { items })
  const list = (limit: number) => other.client.get(`/contacts?limit=${limit}`)
  const sizes = [24, 25, 26, 27, 28, 30, 40, 60, 80, 100, 1, 2]
  const answers = await Promise.all([...sizes, ...sizes].map(list))
  expect(answers.map(({ status, items: found }) => [status, found.length])).toEqual(
    [...sizes, ...sizes].map(size => [200, size]),
  )
  expect(new Set(answers.flatMap(({ items: found }) => found.map(contact => contact.description)))).toEqual(
    new Set([description]),
  )
  expect((await other.client.get('/contacts?limit=100&search=l')).items).toHaveLength(100)
})
