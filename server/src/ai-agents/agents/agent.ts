import { defineResource, externalConventions } from '../../kernel/index.ts'
import { agentRules } from './agent.rules.ts'
import { agentFields } from './agent-fields.ts'

/** An AI agent, which answers in the channels that use it (contract section 13). */
export const agent = defineResource({
  kind: 'agent',
  plural: 'agents',
  title: 'Agent',
  path: '/api/v1/ai-agents/external/agents',
  conventions: externalConventions,
  scopes: { read: 'ai_agents_read', write: 'ai_agents_manage', delete: 'ai_agents_manage' },
  most: 100,
  fields: agentFields,
  rules: agentRules,
})
