import { defineActivity } from '../../kernel/index.ts'
import { contact } from '../contacts/index.ts'
import { deal } from './deal.ts'

/** A past or planned event of a deal, such as a call or a meeting (contract section 6.6). */
export const dealActivity = defineActivity({
  parent: deal,
  table: 'deal_activities',
  participant: contact,
  component: 'DealActivity',
  linkedAs: 'activities',
})
