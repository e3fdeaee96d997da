import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { aPart } from './support/parts.ts'
import { aRecord, issuePaths, outcome, partOf } from './support/requests.ts'

const given = useApi()

const anItem = async (members: JsonObject = {}, currency: string | null = null) => {
  const organization = await given.shared()
  const { id } = await aRecord('deal', organization, currency === null ? { amount: null } : { amount: null, currency })
  return organization.client.post(`/deals/${id}/items`, { ...aPart.items, ...members })
}

/** Adds items to a deal through the database, as many as no test would send. */
async function addItems({ id: organizationId }: TestOrganization, dealId: unknown, count: number) {
  await given.sql(
    `insert into deal_items (organization_id, id, version, created_at, updated_at, deal_id, name, quantity, price,
       discount_type, discount, tax_mode, tax_rate, position, subtotal, discount_amount, tax_amount, total)
     select $1, gen_random_uuid(), 1, now(), now(), $2, 'Chair', 1, 1.50, 'percent', 0, 'none', 0, n, 1.50, 0.00, 0.00,
            1.50 from generate_series(1, $3::integer) as n`,
    [organizationId, dealId, count],
  )
  await given.sql(
    'update deals set items_count = items_count + $2, items_total = items_total + 1.5 * $2 where id = $1',
    [dealId, count],
  )
}

describe('an item', () => {
  it('is answered with the values of the request and its sums', async () => {
    const sent = {
      name: 'Chair',
      sku: 'CH-1',
      productId: 'p:1',
      unit: 'piece',
      quantity: '3',
      price: '0.335',
      discountType: 'percent',
      discount: '10',
      taxMode: 'exclusive',
      taxRate: '20',
      position: 0,
    }
    const { status, data } = await anItem(sent)
    expect([status, data]).toEqual([
      201,
      {
        ...sent,
        subtotal: '1.01',
        discountAmount: '0.10',
        taxAmount: '0.18',
        total: '1.09',
        id: expect.any(String),
        dealId: expect.any(String),
        version: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
  })

  it('needs no more than a name, a quantity and a price', async () => {
    const { data } = await anItem()
    expect(data).toMatchObject({
      sku: null,
      productId: null,
      unit: null,
      discountType: 'percent',
      discount: '0',
      taxMode: 'none',
      taxRate: '0',
      position: 0,
      total: '1.01',
    })
  })

  it.each(['name', 'quantity', 'price'])('without %s is refused: 400', async member => {
    const answer = await anItem({ [member]: undefined })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${member}`]])
  })

  it.each(['quantity', 'price', 'discount', 'taxRate'])('takes no JSON number as %s: 400', async member => {
    const answer = await anItem({ [member]: 1 })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${member}`]])
  })

  it.each(['subtotal', 'discountAmount', 'taxAmount', 'total'])('cannot be sent a %s: 400', async member => {
    expect(outcome(await anItem({ [member]: '1.00' }))).toBe('400 validation_error')
  })

  it.each([
    ['quantity', '0'],
    ['quantity', '0.000000'],
    ['quantity', '-1'],
    ['quantity', '1000000000'],
    ['quantity', '1.0000001'],
    ['price', '-0.01'],
    ['price', '1e3'],
    ['price', '+1'],
    ['price', '1,5'],
    ['price', ' 1'],
    ['price', '01'],
    ['price', '.5'],
    ['price', '1.'],
    ['price', ''],
    ['price', null],
    ['discount', '-1'],
    ['discount', '100.01'],
    ['discountType', 'half'],
    ['taxRate', '100.0001'],
    ['taxRate', '1.00001'],
    ['taxMode', null],
    ['position', -1],
    ['position', 1.5],
    ['position', '1'],
    ['name', ' '],
    ['name', 'x'.repeat(501)],
    ['sku', 'x'.repeat(101)],
    ['unit', 'x'.repeat(33)],
  ])('with %s %j is refused: 400', async (member, value) => {
    const answer = await anItem({ [member]: value })
    expect([outcome(answer), new Set(issuePaths(answer))]).toEqual(['400 validation_error', new Set([`/${member}`])])
  })

  it.each([
    [
      { quantity: '999999999.999999', price: '1' },
      { quantity: '999999999.999999', subtotal: '1000000000.00' },
    ],
    [
      { quantity: '0.000001', price: '1' },
      { quantity: '0.000001', subtotal: '0.00' },
    ],
    [
      { quantity: '2.500000', price: '10.5' },
      { quantity: '2.5', price: '10.50', subtotal: '26.25' },
    ],
    [
      { quantity: '1', price: '0' },
      { price: '0.00', total: '0.00' },
    ],
    [
      { price: '100', discount: '100' },
      { discount: '100', discountAmount: '300.00', total: '0.00' },
    ],
    [
      { price: '10', taxMode: 'inclusive', taxRate: '100' },
      { taxAmount: '15.00', total: '30.00' },
    ],
    [
      { price: '10', taxRate: '7.7000' },
      { taxRate: '7.7', taxAmount: '0.00' },
    ],
  ])('with %j is summed to %j', async (members, shown) => {
    expect((await anItem(members)).data).toMatchObject(shown)
  })

  it.each([
    ['JPY', { price: '0.335', subtotal: '1', discountAmount: '0', taxAmount: '0', total: '1' }],
    ['EUR', { price: '0.335', subtotal: '1.01', total: '1.01' }],
  ])('of a deal in %s has sums of its digits', async (currency, shown) => {
    expect((await anItem({}, currency)).data).toMatchObject(shown)
  })

  it('may be discounted by an amount up to its subtotal, not beyond: 422', async () => {
    const discount = { discountType: 'amount', discount: '1.01' }
    expect((await anItem(discount)).data).toMatchObject({ discount: '1.01', discountAmount: '1.01', total: '0.00' })
    const answer = await anItem({ ...discount, discount: '1.02' })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/discount']])
  })

  it('is refused by PATCH where only the stored discount makes it wrong: 422', async () => {
    const { client } = await given.shared()
    const { path } = await partOf(await given.shared(), 'items', {
      price: '100',
      discountType: 'amount',
      discount: '200',
    })
    const refused = [{ discountType: 'percent' }, { quantity: '1' }, { discount: '300.01' }]
    for (const members of refused) {
      const answer = await client.patch(path, { expectedVersion: 1, ...members })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/discount']])
    }
    const both = await client.patch(path, { expectedVersion: 1, discountType: 'percent', discount: '101' })
    expect(outcome(both)).toBe('400 validation_error')
  })

  it('keeps members that a PATCH leaves out, and is summed anew', async () => {
    const { client } = await given.shared()
    const { path, record } = await partOf(await given.shared(), 'items', { sku: 'CH-1', discount: '10' })
    const { data } = await client.patch(path, { expectedVersion: 1, quantity: '6' })
    const sums = { subtotal: '2.01', discountAmount: '0.20', taxAmount: '0.00', total: '1.81' }
    expect(data).toEqual({ ...record, ...sums, quantity: '6', version: 2, updatedAt: data.updatedAt })
  })
})

describe('the items of a deal', () => {
  it('add up to itemsTotal, line by line as they are rounded', async () => {
    const { client } = await given.shared()
    const { id } = await aRecord('deal', await given.shared())
    const total = async () => (await client.get(`/deals/${id}`)).data
    expect(await total()).toMatchObject({ itemsTotal: '0.00', itemsCount: 0 })
    const added = [
      await client.post(`/deals/${id}/items`, aPart.items),
      await client.post(`/deals/${id}/items`, aPart.items),
    ]
    expect(await total()).toMatchObject({ itemsTotal: '2.02', itemsCount: 2, amount: '1500.00', version: 3 })
    const [one, two] = added.map(({ data }) => `/deals/${id}/items/${data.id}`)
    await client.patch(String(one), { expectedVersion: 1, quantity: '1', price: '10' })
    expect(await total()).toMatchObject({ itemsTotal: '11.01', itemsCount: 2 })
    await client.delete(`${two}?expectedVersion=1`)
    expect(await total()).toMatchObject({ itemsTotal: '10.00', itemsCount: 1 })
    await client.delete(`${one}?expectedVersion=2`)
    expect(await total()).toMatchObject({ itemsTotal: '0.00', itemsCount: 0, version: 6 })
  })

  it('are paged without a gap or a double', async () => {
    const { client } = await given.shared()
    const { collection } = await partOf(await given.shared(), 'items')
    for (let made = 1; made < 7; made += 1) await client.post(collection, { ...aPart.items, position: made % 2 })
    const all = (await client.get(collection)).items.map(({ id }) => id)
    const paged: unknown[] = []
    let next = ''
    do {
      const { items, meta } = await client.get(`${collection}?limit=2${next}`)
      paged.push(...items.map(({ id }) => id))
      next = meta.nextCursor === null ? '' : `&cursor=${meta.nextCursor}`
    } while (next !== '')
    expect([paged.length, paged]).toEqual([7, all])
  })

  it('have cursors of their own deal alone: 400 invalid_cursor below another', async () => {
    const { client } = await given.shared()
    const { collection } = await partOf(await given.shared(), 'items')
    await client.post(collection, aPart.items)
    const { meta } = await client.get(`${collection}?limit=1`)
    const { collection: other } = await partOf(await given.shared(), 'items')
    for (const cursor of [meta.nextCursor, 'invented', ''])
      expect(outcome(await client.get(`${other}?cursor=${cursor}`))).toBe('400 invalid_cursor')
    expect((await client.get(`${collection}?cursor=${meta.nextCursor}`)).items).toHaveLength(1)
  })

  it('are 500 at most: 422 with the limit', async () => {
    const organization = await given.shared()
    const { collection, deal } = await partOf(organization, 'items')
    await addItems(organization, deal.id, 498)
    expect((await organization.client.post(collection, aPart.items)).status).toBe(201)
    const answer = await organization.client.post(collection, aPart.items)
    expect([outcome(answer), answer.details.limit]).toEqual(['422 validation_error', 500])
  })

  it('are closed to a token without the scopes of amounts: 403', async () => {
    const organization = await given.shared()
    const { collection, path } = await partOf(organization, 'items')
    const reader = await organization.token(allBut('crm_amounts_read'))
    const writer = await organization.token(allBut('crm_amounts_write'))
    expect(outcome(await reader.get(collection))).toBe('403 insufficient_scope')
    expect(outcome(await writer.post(collection, aPart.items))).toBe('403 insufficient_scope')
    expect(outcome(await writer.patch(path, { expectedVersion: 1 }))).toBe('403 insufficient_scope')
    expect(outcome(await writer.delete(`${path}?expectedVersion=1`))).toBe('403 insufficient_scope')
  })
})
