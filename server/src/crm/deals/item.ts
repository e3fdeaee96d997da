import { defineNested } from '../../kernel/index.ts'
import { deal } from './deal.ts'
import { itemRules } from './item.rules.ts'
import { itemFields } from './item-fields.ts'

/** A line of a deal with its sums (contract section 6.7). All of it is money, and protected as amounts are. */
export const dealItem = defineNested({
  kind: 'deal_item',
  plural: 'items',
  title: 'DealItem',
  table: 'deal_items',
  parent: deal,
  parentMember: 'dealId',
  part: 'items',
  most: 500,
  countedIn: 'itemsCount',
  order: 'place',
  projection: 'amounts',
  moreScopes: { read: 'crm_amounts_read', write: 'crm_amounts_write' },
  fields: itemFields,
  rules: itemRules,
})
