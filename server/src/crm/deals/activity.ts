import { defineNested } from '../../kernel/index.ts'
import { activityRules } from './activity.rules.ts'
import { activityFields } from './activity-fields.ts'
import { deal } from './deal.ts'

/** A past or planned event of a deal, such as a call or a meeting (contract section 6.6). */
export const dealActivity = defineNested({
  kind: 'deal_activity',
  plural: 'activities',
  title: 'DealActivity',
  table: 'deal_activities',
  parent: deal,
  parentMember: 'dealId',
  part: 'activities',
  most: null,
  order: { field: 'occurredAt', direction: 'desc' },
  fields: activityFields,
  rules: activityRules,
})
