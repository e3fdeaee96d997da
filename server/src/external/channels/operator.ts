import { defineResource, channelsSurface as surface } from '../../kernel/index.ts'
import { needAssignee } from './assignee.sql.ts'
import { aiOperatorRules } from './operator.rules.ts'
import { operatorFields } from './operator-fields.ts'

/** What answers in a channel: one for each, with the id of the channel (contract section 13). */
export const aiOperator = defineResource({
  kind: 'ai_operator',
  plural: 'ai-operators',
  title: 'AiOperator',
  table: 'ai_operators',
  surface,
  scopes: { read: 'channels_read', write: 'channels_manage', delete: 'channels_manage' },
  address: { path: '/channels/{channelId}/ai-operator', parameter: 'channelId' },
  headMembers: { id: 'channelId', createdAt: null },
  fields: operatorFields,
  rules: { ...aiOperatorRules, needsOfChange: needAssignee },
})
