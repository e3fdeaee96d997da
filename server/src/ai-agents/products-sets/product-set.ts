import { defineResource, externalConventions } from '../../kernel/index.ts'
import {
  blocksAfter,
  counted,
  enabledCurrency,
  optionalText,
  requiredText,
  timeBlocks,
} from '../../kernel/schema/index.ts'

/** A catalogue of products that AI agents can offer (contract section 13). */
export const productSet = defineResource({
  kind: 'product_set',
  plural: 'products-sets',
  title: 'ProductSet',
  table: 'product_sets',
  path: '/api/v1/ai-agents/external/products-sets',
  conventions: externalConventions,
  scopes: { read: 'ai_products_read', write: 'ai_products_manage', delete: 'ai_products_manage' },
  most: 200,
  fields: {
    name: requiredText({ max: 200, example: 'Spring catalogue' }),
    description: optionalText({ max: 1000, keepSpace: true }),
    currency: enabledCurrency('That of products without one: an ISO 4217 code that the organization has enabled.'),
    productsCount: counted(0, {
      schema: { type: 'integer', minimum: 0, description: 'How many products it has.' },
      column: 'integer',
    }),
    productBlocks: timeBlocks,
  },
  rules: { reflect: (state, steps) => ({ ...state, productBlocks: blocksAfter(state.productBlocks, steps) }) },
})
