import { expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aProduct, productOf, setOf, setsPath } from './support/agent-requests.ts'
import { useApi } from './support/given.ts'
import { issuePaths, outcome } from './support/requests.ts'

const given = useApi()
const time = expect.stringMatching(/Z$/u)
const whole = {
  name: 'Tea pot',
  sku: 'TP-1',
  description: 'Holds a litre.',
  price: '24.90',
  currency: 'EUR',
  availability: 'in_stock',
  url: 'https://example.com/tea-pot',
  imageUrls: ['https://example.com/1.png'],
  attributes: { material: 'porcelain' },
}
const empty = {
  sku: null,
  description: null,
  price: null,
  currency: null,
  availability: null,
  url: null,
  imageUrls: [],
  attributes: {},
}

it('a product has the id that its client chose, or one of the server', async () => {
  const organization = await given.shared()
  const { collection, product } = await productOf(organization, { ...whole, id: 'Tea.Pot_1:a-b' })
  expect(product).toEqual({ id: 'Tea.Pot_1:a-b', ...whole, createdAt: time, updatedAt: time })
  const made = await organization.client.post(collection, { name: 'Cup' })
  expect(made.data).toEqual({
    id: expect.stringMatching(/^[\w-]{36}$/u),
    name: 'Cup',
    ...empty,
    createdAt: time,
    updatedAt: time,
  })
  const replaced = await organization.client.put(`${collection}/${String(made.data.id)}`, { name: 'Mug' })
  expect([replaced.status, replaced.data.name]).toEqual([200, 'Mug'])
})

it('an id that exists already is a 409, in its own set alone, also when many requests come at once', async () => {
  const organization = await given.shared()
  const { collection } = await productOf(organization, { id: 'a' })
  const taken = await organization.client.post(collection, aProduct({ id: 'a' }))
  expect([outcome(taken), taken.details]).toEqual(['409 already_exists', { path: '/id', existingId: 'a' }])
  const other = await setOf(organization)
  const elsewhere = `${setsPath}/${String(other.id)}/products`
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => organization.client.post(elsewhere, aProduct({ id: 'a' }))),
  )
  expect(answers.map(outcome).sort()).toEqual(['201', ...Array(4).fill('409 already_exists')])
  expect((await organization.client.get(elsewhere)).data.total).toBe(1)
})

it('ids have 1 to 100 letters, digits and a few signs, in the path and in the body', async () => {
  const organization = await given.shared()
  const { collection } = await productOf(organization)
  const { client } = organization
  for (const id of ['', 'a b', 'a/b', 'ä', 'x'.repeat(101)]) {
    const refused = await client.post(collection, aProduct({ id }))
    expect([outcome(refused), new Set(issuePaths(refused))]).toEqual(['400 validation_error', new Set(['/id'])])
    if (id === '') continue
    const unnamed = await client.put(`${collection}/${encodeURIComponent(id)}`, aProduct())
    expect([id, unnamed.status]).toEqual([id, 400])
    expect(issuePaths(unnamed)).toEqual(['path:productId'])
  }
  expect((await client.post(collection, aProduct({ id: 'x'.repeat(100) }))).status).toBe(201)
})

it('PUT replaces all of a product, and members that it leaves out are empty', async () => {
  const organization = await given.shared()
  const { path, product } = await productOf(organization, whole)
  given.clock.advance(1000)
  const { status, data } = await organization.client.put(path, { name: 'Coffee pot' })
  expect([status, data]).toEqual([
    200,
    { id: product.id, name: 'Coffee pot', ...empty, createdAt: product.createdAt, updatedAt: time },
  ])
  expect(data.updatedAt).not.toBe(product.updatedAt)
  const again = await organization.client.put(path, { id: product.id, name: 'Coffee pot' })
  expect(again.data).toEqual(data)
})

it('PUT refuses another id in the body, and creates nothing', async () => {
  const organization = await given.shared()
  const { path, collection } = await productOf(organization)
  const other = await organization.client.put(path, aProduct({ id: 'other' }))
  expect([outcome(other), issuePaths(other)]).toEqual(['400 validation_error', ['/id']])
  expect(outcome(await organization.client.put(`${collection}/unknown`, aProduct()))).toBe('404 not_found')
})

it('prices are decimal strings, not negative, with up to six digits behind the point', async () => {
  const organization = await given.shared()
  const { path } = await productOf(organization)
  const put = (members: JsonObject) => organization.client.put(path, aProduct(members))
  for (const price of ['-1', '1.0000001', '1e3', ' 1', '', 24.9, '1234567890123456'])
    expect([price, outcome(await put({ price }))]).toEqual([price, '400 validation_error'])
  for (const [price, currency, shown] of [
    ['24.9', 'EUR', '24.90'],
    ['24.90', 'JPY', '24.9'],
    ['25', 'JPY', '25'],
    ['0.000001', 'EUR', '0.000001'],
    ['5', null, '5.00'],
  ])
    expect((await put({ price, currency })).data.price).toBe(shown)
  expect(outcome(await put({ currency: 'GBP' }))).toBe('422 validation_error')
})

it.each<[string, JsonObject]>([
  ['/name', { name: ' ' }],
  ['/name', { name: 'x'.repeat(301) }],
  ['/sku', { sku: 'x'.repeat(101) }],
  ['/description', { description: 'x'.repeat(5001) }],
  ['/availability', { availability: 'sold' }],
  ['/url', { url: 'ftp://example.com' }],
  ['/imageUrls', { imageUrls: Array.from({ length: 11 }, (_, index) => `https://example.com/${index}`) }],
  ['/attributes', { attributes: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'b'])) }],
  ['/attributes/a', { attributes: { a: 1 } }],
  ['/attributes/a', { attributes: { a: 'x'.repeat(1001) } }],
])('refuses %s beyond its limits', async (path, members) => {
  const organization = await given.shared()
  const { collection } = await productOf(organization)
  const refused = await organization.client.post(collection, aProduct(members))
  expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', [path]])
})

it('pages have numbers, an exact total and the newest first, from both ends of the list', async () => {
  const organization = await given.organization()
  const { collection } = await productOf(organization, { id: 'p0' })
  for (let index = 1; index < 7; index += 1) {
    given.clock.advance(1000)
    await organization.client.post(collection, aProduct({ id: `p${index}` }))
  }
  await organization.client.delete(`${collection}/p3`)
  const newest = ['p6', 'p5', 'p4', 'p2', 'p1', 'p0']
  for (const limit of [1, 2, 4, 6, 7, 100]) {
    const pages = Math.ceil(6 / limit)
    for (let page = 1; page <= pages + 2; page += 1) {
      const { status, data } = await organization.client.get(`${collection}?limit=${limit}&page=${page}`)
      const { items, ...numbers } = data
      const ids = Array.isArray(items) ? items.map(({ id }) => id) : null
      expect([status, ids]).toEqual([200, newest.slice((page - 1) * limit, page * limit)])
      expect(numbers).toEqual({ page, limit, total: 6, totalPages: pages })
    }
  }
  expect((await organization.client.get(collection)).data).toMatchObject({ page: 1, limit: 20 })
  for (const query of ['page=0', 'limit=0', 'limit=101', 'page=1.5', 'page=12345678901', 'cursor=a'])
    expect(outcome(await organization.client.get(`${collection}?${query}`))).toBe('400 validation_error')
})

it('a page of large products is written as it is read', async () => {
  const organization = await given.organization()
  const { collection, set } = await productOf(organization)
  const description = 'ü'.repeat(5000)
  for (let index = 0; index < 40; index += 1)
    await organization.client.post(collection, aProduct({ id: `p${index}`, description }))
  const { status, data } = await organization.client.get(`${collection}?limit=100`)
  const { items, ...numbers } = data
  expect([status, numbers]).toEqual([200, { page: 1, limit: 100, total: 41, totalPages: 1 }])
  const products = Array.isArray(items) ? items : []
  expect(products).toHaveLength(41)
  expect(products.filter(product => product.description === description)).toHaveLength(40)
  expect((await organization.client.get(`${setsPath}/${String(set.id)}`)).data.productsCount).toBe(41)
})

it('a set has at most 100000 products', async () => {
  const organization = await given.organization()
  const { collection, path } = await productOf(organization)
  const fill = 'update product_sets set products_count = 100000 where organization_id = $1'
  await given.sql(fill, [organization.id])
  const refused = await organization.client.post(collection, aProduct())
  expect([outcome(refused), refused.details.limit]).toEqual(['422 validation_error', 100_000])
  expect((await organization.client.delete(path)).body).toEqual({
    status: 'OK',
    data: { accepted: true, id: 'tea-pot:1' },
  })
  expect((await organization.client.post(collection, aProduct())).status).toBe(201)
})

it('products that come and go at once are all counted', async () => {
  const organization = await given.organization()
  const { collection, path } = await productOf(organization)
  await Promise.all([
    ...Array.from({ length: 8 }, () => organization.client.post(collection, aProduct())),
    organization.client.delete(path),
  ])
  const { total, items } = (await organization.client.get(collection)).data
  expect([total, Array.isArray(items) && items.length]).toEqual([8, 8])
})
