import { afterAll, beforeAll, expect, test } from 'vitest'
import { namedId } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aProduct, setOf, setsPath } from '../conformance/support/agent-requests.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan, type Plan } from './plan.ts'
import { type RecordedApi, startRecordedApi } from './recorded-api.ts'
import { vacuum } from './vacuum.ts'

const products = 99_990
// A statement has a time limit, which all at once would reach on a busy machine.
const portion = 10_000
let api: RecordedApi
let organization: TestOrganization
let collection: string
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  const { id } = await setOf(organization)
  collection = `${setsPath}/${String(id)}/products`
  // Other sets lie beside it.
  for (let other = 0; other < 3; other += 1) await fill(String((await setOf(organization)).id), 1000)
  await fill(String(id), products)
  await vacuum(api.test.database, ['products', 'product_sets'])
}, 120_000)
afterAll(() => api.close())

const insert = statement(
  'test_fill_products',
  `insert into products (organization_id, id, version, created_at, updated_at, product_set_id, product_id, name, image_urls,
     attributes)
   select $1, case n when 50000 then $5::uuid else gen_random_uuid() end, 1, t, t, $2, 'p' || n, 'Tea pot', '[]', '{}'
     from (select n, timestamptz '2026-01-01Z' + n * interval '1 second' as t from generate_series($3::integer, $4) as n) as s`,
)
const count = statement(
  'test_count_products',
  'update product_sets set products_count = $3 where organization_id = $1 and id = $2',
)

async function fill(setId: string, number: number): Promise<void> {
  const { database } = api.test
  for (let first = 1; first <= number; first += portion) {
    const last = Math.min(number, first + portion - 1)
    await database.search(insert, [organization.id, setId, first, last, namedId(setId, 'p50000')])
  }
  await database.search(count, [organization.id, setId, number])
}

async function planOf(query: string): Promise<Plan> {
  const sent = await api.recorded(async () => {
    const { status, data } = await organization.client.get(`${collection}?${query}`)
    expect([status, data.total]).toEqual([200, products])
  })
  const page = sent.find(({ statement: { name } }) => name === 'page_of_product')
  if (page === undefined) throw new Error('the page was not read')
  const plan = await executedPlan(api.test.database, page)
  expect(sequentialScans(plan)).toEqual([])
  return plan
}

const entriesIn = ({ nodes }: Plan) =>
  Math.max(...nodes.filter(({ index }) => index === 'products_newest').map(({ rows }) => rows))

test.each([
  ['the first page', 'page=1', 20, 100],
  ['page 100', 'page=100', 2000, 150],
  ['page 2,500, in the middle', 'page=2500', 50_000, 1000],
  ['page 5,000, the last one', 'page=5000', 20, 100],
  ['page 1,000 of 100', 'page=1000&limit=100', 100, 450],
])(
  '%s counts entries of the index from the nearer end, and reads the rows that it shows',
  async (_, query, most, pages) => {
    const plan = await planOf(query)
    expect(entriesIn(plan)).toBeLessThanOrEqual(most)
    expect(plan.pages).toBeLessThanOrEqual(pages)
    const reads = plan.nodes.filter(({ index }) => index === 'products_newest').map(({ type }) => type)
    expect(new Set(reads)).toEqual(new Set(['Index Only Scan']))
  },
)

test('a product is replaced and removed by its key, whatever the size of its set', async () => {
  for (const change of [
    () => organization.client.put(`${collection}/p50000`, aProduct({ name: 'Cup' })),
    () => organization.client.delete(`${collection}/p50000`),
  ]) {
    const sent = await api.recorded(async () => {
      expect((await change()).status).toBe(200)
    })
    const plans = await Promise.all(
      sent
        .filter(({ statement: { name } }) => /product/u.test(name))
        .map(each => executedPlan(api.test.database, each)),
    )
    expect(plans.length).toBeGreaterThan(1)
    expect(plans.flatMap(sequentialScans)).toEqual([])
    expect(Math.max(...plans.map(({ pages }) => pages))).toBeLessThanOrEqual(30)
  }
})

test('a set is removed with all of its products within the time that a write has', async () => {
  const { status } = await organization.client.delete(collection.replace(/\/products$/u, ''))
  expect(status).toBe(200)
})
