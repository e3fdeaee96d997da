import { defineResource, externalConventions } from '../../kernel/index.ts'
import { needAssignee } from './assignee.sql.ts'
import { aiOperatorRules } from './operator.rules.ts'
import { operatorFields } from './operator-fields.ts'

/** What answers in a channel: one for each, with the id of the channel (contract section 13). */
export const aiOperator = defineResource({
  kind: 'ai_operator',
  plural: 'ai-operators',
  title: 'AiOperator',
  table: 'ai_operators',
  conventions: externalConventions,
  scopes: { read: 'channels_read', write: 'channels_manage', delete: 'channels_manage' },
  address: { path: '/api/v1/external/channels/{channelId}/ai-operator', parameter: 'channelId' },
  headMembers: { id: 'channelId', createdAt: null },
  fields: operatorFields,
  rules: { ...aiOperatorRules, needsOfChange: needAssignee },
})
