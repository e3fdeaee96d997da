import { describe, expect, it } from 'vitest'
import { aConfiguration, issuesIn, organizationSettings } from '../../../../test/support/decisions.ts'
import { compileSchema, Refusal } from '../../kernel/schema/index.ts'
import { itemRules } from './item.rules.ts'
import type { ItemState } from './item-fields.ts'

const organization = organizationSettings({ currencies: ['USD', 'EUR', 'JPY', 'KWD'] })
const configuration = aConfiguration({ organization })
const write = { configuration }

const anItem = (members: Partial<ItemState> = {}): ItemState => ({
  id: 'item',
  externalId: null,
  version: 1,
  createdAt: '',
  updatedAt: '',
  createdByApplicationId: null,
  createdByUuid: null,
  updatedByUuid: null,
  quantity: '3',
  price: '0.335',
  discountType: 'percent',
  discount: '0',
  taxMode: 'none',
  taxRate: '0',
  name: 'Chair',
  sku: null,
  productId: null,
  unit: null,
  position: 0,
  subtotal: '0',
  discountAmount: '0',
  taxAmount: '0',
  total: '0',
  ...members,
})

const settled = (item: ItemState, currency: string | null) =>
  itemRules.settle(item, { previous: null, parent: { currency }, write })
const followed = (item: ItemState, currency: string | null) =>
  itemRules.settle(item, { previous: item, parent: { currency }, write })

function refusal(result: unknown): unknown {
  return result instanceof Refusal ? [result.status, { ...result.details, issues: issuesIn(result) }] : result
}

describe('an item', () => {
  it.each([
    ['USD', '1.01'],
    ['JPY', '1'],
    ['KWD', '1.005'],
    [null, '1.01'],
  ])('of a deal in %s has sums of its digits, and its price whole', (currency, total) => {
    expect(settled(anItem(), currency)).toMatchObject({ total, price: '0.335' })
  })

  it('shows a price with at least the digits of the currency', () => {
    const prices = ['10', '10.5', '10.123456'].map(price =>
      ['USD', 'JPY'].map(each => settled(anItem({ price }), each)),
    )
    expect(prices.flat()).toMatchObject(
      ['10.00', '10', '10.50', '10.5', '10.123456', '10.123456'].map(price => ({ price })),
    )
  })

  it('shows a discount as money or as percent, whichever it is', () => {
    const [amount, percent] = (['amount', 'percent'] as const).map(discountType =>
      settled(anItem({ price: '10', discountType, discount: '5.00' }), 'USD'),
    )
    expect([amount, percent]).toMatchObject([
      { discount: '5.00', total: '25.00' },
      { discount: '5', total: '28.50' },
    ])
  })

  it('is refused with a discount that is higher than its subtotal', () => {
    expect(refusal(settled(anItem({ discountType: 'amount', discount: '1.02' }), 'USD'))).toMatchObject([
      422,
      { issues: [{ path: '/discount', rule: 'range' }] },
    ])
  })

  it('is refused with a stored discount that was an amount and would be percent', () => {
    const item = anItem({ quantity: '300', price: '1', discount: '150' })
    expect(refusal(settled(item, 'USD'))).toMatchObject([422, { issues: [{ path: '/discount' }] }])
    expect(settled({ ...item, discountType: 'amount' }, 'USD')).toMatchObject({ total: '150.00' })
  })

  it('wants 100 percent at most, also in the request alone', () => {
    const issues = [{ path: '/discount', rule: 'range', message: 'A discount in percent is 100 at most' }]
    expect(itemRules.inspectCreate({ discount: '100.000001' })).toEqual(issues)
    expect(itemRules.inspectCreate({ discount: '100', discountType: 'percent' })).toEqual([])
    expect(itemRules.inspectCreate({ discount: '150', discountType: 'amount' })).toEqual([])
    expect(itemRules.inspectPatch({ discount: '150', discountType: 'percent' })).toEqual(issues)
    expect(itemRules.inspectPatch({ discount: '150' })).toEqual([])
    expect([itemRules.inspectCreate({}), itemRules.inspectPatch({ discountType: 'percent' })]).toEqual([[], []])
  })
})

const { create, patch } = itemRules.documented
const [documentedCreate, documentedPatch] = [create, patch].map(schema => compileSchema({ type: 'object', ...schema }))

describe('the documented rule for discounts', () => {
  const discounts = ['0', '9.5', '99.999', '100', '100.00', '100.01', '101', '150', '1000']
  const inputs = [undefined, 'percent', 'amount'].flatMap(discountType => [
    ...discounts.map(discount => ({ discount, ...(discountType === undefined ? {} : { discountType }) })),
    discountType === undefined ? {} : { discountType },
  ])

  it.each(inputs)('is the one that the server checks for %j', input => {
    expect(documentedCreate?.(input, '').length === 0).toBe(itemRules.inspectCreate(input).length === 0)
    expect(documentedPatch?.(input, '').length === 0).toBe(itemRules.inspectPatch(input).length === 0)
  })
})

describe('a change of the currency', () => {
  it('settles items again if the new one has another number of digits', () => {
    const digits = ['USD', 'EUR', 'JPY', null].map(currency => itemRules.settledBy({ currency }, configuration))
    expect(digits).toEqual([2, 2, 0, 2])
  })

  it('keeps the values of the client, and computes the sums anew', () => {
    const item = anItem({ quantity: '1', price: '10.555555', discountType: 'amount', discount: '0.5' })
    const [usd, jpy, kwd] = ['USD', 'JPY', 'KWD'].map(currency => followed(item, currency))
    expect(usd).toMatchObject({ price: '10.555555', discount: '0.50', subtotal: '10.56', total: '10.06' })
    expect(jpy).toMatchObject({ price: '10.555555', discount: '0.5', subtotal: '11', discountAmount: '1', total: '10' })
    expect(kwd).toMatchObject({ price: '10.555555', discount: '0.500', subtotal: '10.556', total: '10.056' })
  })

  it('is refused where a discount would then exceed its subtotal', () => {
    const item = anItem({ quantity: '1', price: '10.40', discountType: 'amount', discount: '10.40' })
    expect(refusal(followed(item, 'JPY'))).toMatchObject([
      422,
      { issues: [{ path: '/currency', rule: 'item_discount' }], itemId: 'item' },
    ])
    expect(followed(item, 'EUR')).toMatchObject({ total: '0.00' })
  })
})
