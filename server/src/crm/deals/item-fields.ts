import type { StateOf } from '../../kernel/index.ts'
import {
  choice,
  computed,
  decimal,
  optionalText,
  placeField,
  requiredText,
  sumPattern,
} from '../../kernel/schema/index.ts'

const sum = (description: string, example: string) =>
  computed<string>('0', {
    column: 'numeric',
    schema: { type: 'string', pattern: sumPattern },
    description: `${description} With the digits of the currency of the deal.`,
    example,
  })

/** What an item of a deal holds (contract section 6.7). */
export const itemFields = {
  name: requiredText({ max: 500, example: 'Chair' }),
  sku: optionalText({ max: 100, description: 'Your number of the article.' }),
  productId: optionalText({ max: 100, description: 'A product of a product set; not checked.' }),
  unit: optionalText({ max: 32, description: 'What the quantity counts, such as piece or hour.' }),
  quantity: decimal({
    above: '0',
    most: '999999999.999999',
    description: 'More than 0, at most 999999999.999999; six digits after the point.',
    example: '2',
  }),
  price: decimal({
    description: 'For one unit; six digits after the point, which are never rounded.',
    example: '50.00',
  }),
  discountType: choice(['percent', 'amount'], {
    component: 'DiscountType',
    initial: 'percent',
    example: 'percent',
    description: 'What `discount` is: percent of the subtotal, or an amount.',
  }),
  discount: decimal({
    initial: '0',
    example: '10',
    description: 'Percent of the subtotal, at most 100, or an amount for the whole line, at most the subtotal.',
  }),
  taxMode: choice(['none', 'exclusive', 'inclusive'], {
    component: 'TaxMode',
    initial: 'none',
    example: 'exclusive',
    description: 'Whether the price is without the tax, or contains it.',
  }),
  taxRate: decimal({
    initial: '0',
    example: '20',
    most: '100',
    digits: 4,
    description: 'Percent, from 0 to 100; four digits after the point.',
  }),
  position: placeField('The place among the items, from 0; beyond the end is the end. The end unless given.'),
  subtotal: sum('Quantity times price.', '100.00'),
  discountAmount: sum('What the discount takes away.', '10.00'),
  taxAmount: sum('The tax on what is left.', '18.00'),
  total: sum('What is to be paid for the line.', '108.00'),
}

/** A deal item in memory, as its rules see it. */
export type ItemState = StateOf<typeof itemFields>

/** The inputs of the computed sums of an item. */
export type ItemLine = Pick<ItemState, 'quantity' | 'price' | 'discountType' | 'discount' | 'taxMode' | 'taxRate'>

/** The computed sums, with as many digits as the deal's currency has. */
export type ItemSums = Pick<ItemState, 'subtotal' | 'discountAmount' | 'taxAmount' | 'total'>
