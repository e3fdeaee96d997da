import { defineResource } from '../../kernel/index.ts'
import { dealRules } from './deal.rules.ts'
import { dealFields } from './deal-fields.ts'
import { sideRowsOfDeal } from './deal-side-rows.ts'
import { reflectParts } from './parts.rules.ts'
import { topForNewDeal, topOfStage } from './stage.sql.ts'

/** A sale under way, won or lost (contract section 6.3). */
export const deal = defineResource({
  kind: 'deal',
  plural: 'deals',
  title: 'Deal',
  scopes: { read: 'crm_deals_read', write: 'crm_deals_write', delete: 'crm_deals_delete' },
  hit: { title: 'title', subtitle: 'status', companies: { table: 'deal_companies', column: 'deal_id' } },
  fields: dealFields,
  rules: {
    ...dealRules,
    needs: (input, configuration, mayBeNew) => (mayBeNew ? topForNewDeal(input, configuration) : []),
    settle: (next, context) => dealRules.settle(next, { ...context, topOf: uuid => context.read(topOfStage(uuid)) }),
    reflect: reflectParts,
    sideRows: sideRowsOfDeal,
  },
})
