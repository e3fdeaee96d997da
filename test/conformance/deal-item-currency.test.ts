import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPart } from './support/parts.ts'
import { aRecord, issuePaths, issueRules, outcome } from './support/requests.ts'

const given = useApi({ ownDatabase: true })

/** A deal without an amount, with items; the last one is of whole units. */
async function aPricedDeal(organization: TestOrganization, currency: string | null = 'USD') {
  const { client } = organization
  const deal = await aRecord('deal', organization, { amount: null, ...(currency === null ? {} : { currency }) })
  const path = `/deals/${deal.id}`
  for (const members of [{}, { quantity: '1', price: '10.556', discountType: 'amount', discount: '0.5' }]) {
    await client.post(`${path}/items`, { ...aPart.items, ...members })
  }
  return { deal, path, items: (await client.get(`${path}/items`)).items }
}

type Change = (organization: TestOrganization, deal: JsonObject, members: JsonObject) => Promise<JsonObject>
const ways: readonly (readonly [string, Change])[] = [
  ['PATCH', async ({ client }, { id }, members) => (await client.patch(`/deals/${id}`, members)).data],
  [
    'upsert',
    async ({ client }, { externalId }, members) =>
      (await client.post('/deals/upsert', { externalId, ...members })).data,
  ],
  [
    'batch upsert',
    async ({ client }, { externalId }, members) => {
      const { items } = await client.post('/deals/batch/upsert', { items: [{ externalId, ...members }] })
      return objectOf(items[0]?.data)
    },
  ],
]

/** The same requests at whatever version the deal has. */
const overwriting: typeof ways = [
  [
    'upsert with overwrite=true',
    async ({ client }, { externalId }, { expectedVersion: _, ...members }) =>
      (await client.post('/deals/upsert?overwrite=true', { externalId, ...members })).data,
  ],
  [
    'batch upsert with overwrite=true',
    async ({ client }, { externalId }, { expectedVersion: _, ...members }) => {
      const body = { items: [{ externalId, ...members }] }
      return objectOf((await client.post('/deals/batch/upsert?overwrite=true', body)).items[0]?.data)
    },
  ],
]

describe.each([...ways, ...overwriting])('a new currency by %s', (_, change) => {
  it('sums every item anew, with the same prices, and the deal too', async () => {
    const organization = await given.shared()
    const { deal, path } = await aPricedDeal(organization)
    const answered = await change(organization, deal, { expectedVersion: 3, currency: 'JPY' })
    expect(answered).toMatchObject({ version: 4, currency: 'JPY', itemsTotal: '11', itemsCount: 2 })
    expect((await organization.client.get(path)).data).toEqual(answered)
    const { items } = await organization.client.get(`${path}/items`)
    expect(items).toMatchObject([
      { version: 2, price: '0.335', subtotal: '1', discountAmount: '0', taxAmount: '0', total: '1' },
      { version: 2, price: '10.556', discount: '0.5', subtotal: '11', discountAmount: '1', total: '10' },
    ])
  })

  it('and back leaves the sums as they were: prices were never rounded', async () => {
    const organization = await given.shared()
    const { deal, path, items } = await aPricedDeal(organization)
    await change(organization, deal, { expectedVersion: 3, currency: 'JPY' })
    const back = await change(organization, deal, { expectedVersion: 4, currency: 'USD' })
    expect(back).toMatchObject({ version: 5, itemsTotal: '11.07' })
    const again = (await organization.client.get(`${path}/items`)).items
    expect(again).toEqual(items.map(item => ({ ...item, version: 3, updatedAt: expect.any(String) })))
  })

  it('of as many digits leaves items and their versions alone', async () => {
    const organization = await given.shared()
    const { deal, path, items } = await aPricedDeal(organization)
    const answered = await change(organization, deal, { expectedVersion: 3, currency: 'EUR' })
    expect(answered).toMatchObject({ version: 4, currency: 'EUR', itemsTotal: '11.07' })
    expect((await organization.client.get(`${path}/items`)).items).toEqual(items)
  })

  it('is one version of the deal, one event in the change feed and one audit entry, with the items in them', async () => {
    const organization = await given.shared()
    const { deal, path } = await aPricedDeal(organization)
    const { events, audit } = await factsOf(given, organization, () =>
      change(organization, deal, { expectedVersion: 3, currency: 'JPY' }),
    )
    expect(events).toMatchObject([
      { kind: 'deal.updated', version: 4, resourceId: deal.id, changedFields: ['currency', 'itemsTotal', 'items'] },
    ])
    expect(audit).toHaveLength(1)
    expect(audit[0]?.changes.map(({ field, guard }) => [field, guard])).toEqual([
      ['currency', undefined],
      ['itemsTotal', 'amounts'],
      ['items', 'amounts'],
      ['items', 'amounts'],
    ])
    const feed = (await organization.client.get(`${path}/events`)).items.filter(({ dealVersion }) => dealVersion === 4)
    const kinds = feed.map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['deal.item_updated', 'deal.item_updated', 'deal.updated'])
  })
})

describe.each(ways)('a new currency by %s', (_, change) => {
  it('is refused with a stale version, and nothing is changed', async () => {
    const organization = await given.shared()
    const { deal, path, items } = await aPricedDeal(organization)
    await change(organization, deal, { expectedVersion: 2, currency: 'JPY' })
    expect((await organization.client.get(path)).data).toMatchObject({ version: 3, currency: 'USD' })
    expect((await organization.client.get(`${path}/items`)).items).toEqual(items)
  })
})

it('items of a deal without a currency are summed in that of the organization, and anew when the deal gets one', async () => {
  const organization = await given.shared()
  const { path, items } = await aPricedDeal(organization, null)
  expect(items.map(({ total }) => total)).toEqual(['1.01', '10.06'])
  const { data } = await organization.client.patch(path, { expectedVersion: 3, currency: 'JPY' })
  expect(data).toMatchObject({ itemsTotal: '11' })
  const { data: without } = await organization.client.patch(path, { expectedVersion: 4, currency: null })
  expect(without).toMatchObject({ currency: null, itemsTotal: '11.07' })
})

it('a new currency is refused where the discount of an item no longer fits: 422 that names the item', async () => {
  const organization = await given.shared()
  const { path, items, deal } = await aPricedDeal(organization)
  const item = { name: 'Set', quantity: '1', price: '10.40', discountType: 'amount', discount: '10.40' }
  const { data } = await organization.client.post(`${path}/items`, item)
  const answer = await organization.client.patch(path, { expectedVersion: 4, currency: 'JPY' })
  expect([outcome(answer), issuePaths(answer), answer.details.itemId]).toEqual([
    ...['422 validation_error', ['/currency'], data.id],
  ])
  const { externalId } = deal
  const batch = await organization.client.post('/deals/batch/upsert', {
    items: [{ externalId, expectedVersion: 4, currency: 'JPY' }],
  })
  expect(JSON.stringify(batch.items[0])).toContain('"/items/0/currency"')
  expect((await organization.client.get(`${path}/items`)).items).toEqual([...items, data])
})

describe('many items', () => {
  /** Deals in USD with as many items each, all through the database but for the deals themselves. */
  async function dealsWith(organization: TestOrganization, deals: number, itemsEach: number) {
    const bodies = await Promise.all(
      Array.from({ length: deals }, () => aRecord('deal', organization, { amount: null, currency: 'USD' })),
    )
    await given.sql(
      `insert into deal_items (organization_id, id, version, created_at, updated_at, deal_id, name, quantity, price,
         discount_type, discount, tax_mode, tax_rate, position, subtotal, discount_amount, tax_amount, total)
       select $1, gen_random_uuid(), 1, now(), now(), deal, 'Chair', 1, 1.50, 'percent', 0, 'none', 0, n, 1.50, 0.00, 0.00,
              1.50 from unnest($2::uuid[]) as deal, generate_series(1, $3::integer) as n`,
      [organization.id, bodies.map(({ id }) => id), itemsEach],
    )
    await given.sql(
      'update deals set items_count = $2::integer, items_total = 1.5 * $2::integer where id = any ($1::uuid[])',
      [bodies.map(({ id }) => id), itemsEach],
    )
    // As a server does for tables that have grown: a plan that was made for a few items compares each with each.
    await given.sql('analyze deal_items')
    return bodies
  }

  const inYen = (deals: readonly JsonObject[], expectedVersion = 1) => ({
    items: deals.map(({ externalId }) => ({ externalId, expectedVersion, currency: 'JPY' })),
  })

  it('follow in a batch up to ten thousand, of the deals alone that need it; those beyond are refused: 422 too_many_links', async () => {
    const organization = await given.organization()
    const { client } = organization
    const deals = await dealsWith(organization, 22, 500)
    const unaffected = deals.map(({ externalId }) => ({ externalId, expectedVersion: 1, currency: 'EUR' }))
    const inEuro = await client.post('/deals/batch/upsert', { items: unaffected })
    expect(inEuro.meta).toMatchObject({ updated: 22, failed: 0 })
    const { items, meta } = await client.post('/deals/batch/upsert', inYen(deals, 2))
    expect(meta).toEqual({ created: 0, updated: 20, unchanged: 0, failed: 2 })
    expect(items.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 422, 422])
    const { code, details } = objectOf(items[20]?.error)
    expect([code, objectOf(details)]).toMatchObject(['validation_error', { reason: 'too_many_links', limit: 10_000 }])
    expect(items[19]?.data).toMatchObject({ itemsTotal: '1000', version: 3 })
    const [left] = await given.sql(
      'select count(*)::integer as left from deal_items where organization_id = $1 and version = 1',
      [organization.id],
    )
    expect(left?.left).toBe(1000)
    const again = await client.post('/deals/batch/upsert', inYen(deals.slice(20), 2))
    expect(again.meta).toMatchObject({ updated: 2, failed: 0 })
  }, 60_000)

  it('of a hundred deals follow in one batch', async () => {
    const organization = await given.organization()
    const deals = await dealsWith(organization, 100, 20)
    const { meta } = await organization.client.post('/deals/batch/upsert', inYen(deals))
    expect(meta).toEqual({ created: 0, updated: 100, unchanged: 0, failed: 0 })
    const versions = 'select distinct version, total from deal_items where organization_id = $1'
    expect(await given.sql(versions, [organization.id])).toEqual([{ version: '2', total: '2' }])
  }, 60_000)
})

it('a new currency is refused for reasons that hold for every deal, such as a currency that is not enabled: 422', async () => {
  const organization = await given.shared()
  const { path } = await aPricedDeal(organization)
  const answer = await organization.client.patch(path, { expectedVersion: 3, currency: 'KWD' })
  expect([outcome(answer), issueRules(answer)]).toEqual(['422 validation_error', ['currency']])
})
