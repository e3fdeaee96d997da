import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillProducts, productId } from '../../bench/fill-products.ts'
import { aProduct, setOf, setsPath } from '../conformance/support/agent-requests.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan, type Plan } from './plan.ts'
import { type RecordedApi, startRecordedApi } from './recorded-api.ts'
import { vacuum } from './vacuum.ts'

const products = 99_990
let api: RecordedApi
let organization: TestOrganization
let collection: string
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  const { id } = await setOf(organization)
  collection = `${setsPath}/${String(id)}/products`
  // Other sets lie beside it.
  const fill = (setId: unknown, number: number) =>
    fillProducts(api.test.database, organization.id, String(setId), number)
  for (let other = 0; other < 3; other += 1) await fill((await setOf(organization)).id, 1000)
  await fill(id, products)
  await vacuum(api.test.database, ['products', 'product_sets'])
}, 120_000)
afterAll(() => api.close())

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
  ['the first page', 'page=1'],
  ['page 100', 'page=100'],
  ['page 2,500, in the middle', 'page=2500'],
  ['page 5,000, the last one', 'page=5000'],
  ['page 500 of 100', 'page=500&limit=100'],
  ['a page beyond the end', 'page=90000'],
])('%s counts entries of the index of one block alone, and reads only the rows that it shows', async (_, query) => {
  const plan = await planOf(query)
  expect(entriesIn(plan)).toBeLessThanOrEqual(2100)
  expect(plan.pages).toBeLessThanOrEqual(450)
  const reads = plan.nodes.filter(({ index }) => index === 'products_newest').map(({ type }) => type)
  expect(new Set(reads)).toEqual(new Set(['Index Only Scan']))
})

test('pages of a full set hold each product at its place, the newest first, also when some came and went', async () => {
  const { client } = organization
  const gone = [99_989, 50_000, 50_001, 48_000, 0].map(productId)
  for (const id of gone) expect((await client.delete(`${collection}/${id}`)).status).toBe(200)
  for (const id of ['new', 'newer']) expect((await client.post(collection, aProduct({ id }))).status).toBe(201)
  const filled = Array.from({ length: products }, (_, number) => productId(products - 1 - number))
  const expected = ['newer', 'new', ...filled.filter(id => !gone.includes(id))]
  // A product too many or too few changes each page behind it: those around the changes are read, and each fifth.
  const changed = gone.map(id => Math.floor(filled.indexOf(id) / 100) + 1)
  const isRead = (page: number) => page % 5 === 0 || changed.some(near => Math.abs(page - near) <= 1)
  for (let page = 1; page <= 1000; page += 1) {
    if (!isRead(page)) continue
    const { data } = await client.get(`${collection}?limit=100&page=${page}`)
    expect([data.total, data.totalPages]).toEqual([expected.length, 1000])
    expect(data.items).toMatchObject(expected.slice((page - 1) * 100, page * 100).map(id => ({ id })))
  }
}, 180_000)

test('a product is replaced and removed by its key, whatever the size of its set', async () => {
  for (const change of [
    () => organization.client.put(`${collection}/${productId(40_000)}`, aProduct({ name: 'Cup' })),
    () => organization.client.delete(`${collection}/${productId(40_000)}`),
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
