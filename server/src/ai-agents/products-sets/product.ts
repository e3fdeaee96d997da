import { defineNested } from '../../kernel/index.ts'
import {
  enabledCurrency,
  optionalChoice,
  optionalPrice,
  optionalText,
  optionalWebAddress,
  requiredText,
  textMap,
  websites,
} from '../../kernel/schema/index.ts'
import { productSet } from './product-set.ts'

/** A product in a product set (contract section 13). The client chooses its id. */
export const product = defineNested({
  kind: 'product',
  plural: 'products',
  title: 'Product',
  table: 'products',
  parent: productSet,
  parentMember: 'productSetId',
  parentParameter: 'setId',
  idParameter: 'productId',
  hasChosenIds: true,
  part: 'products',
  most: 100_000,
  countedIn: 'productsCount',
  order: { field: 'createdAt', direction: 'desc' },
  fields: {
    name: requiredText({ max: 300, example: 'Tea pot' }),
    sku: optionalText({ max: 100, example: 'TP-1', description: 'Your number of the article.' }),
    description: optionalText({ max: 5000, keepSpace: true }),
    price: optionalPrice({
      description: 'A decimal string, not negative; six digits after the point.',
      example: '24.90',
    }),
    currency: enabledCurrency('An ISO 4217 code that the organization has enabled.'),
    availability: optionalChoice(['in_stock', 'out_of_stock', 'preorder'], {
      component: 'ProductAvailability',
      description: 'Whether it can be bought; null: nobody has said.',
    }),
    url: optionalWebAddress({ example: 'https://example.com/tea-pot' }),
    imageUrls: websites({ most: 10, description: 'Addresses of pictures of it.' }),
    attributes: textMap({
      most: 50,
      maxName: 100,
      maxText: 1000,
      description: 'What else there is to say of it: names and values of your own.',
      example: { material: 'porcelain' },
    }),
  },
})
