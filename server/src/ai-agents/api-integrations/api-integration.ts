import { defineResource, externalConventions } from '../../kernel/index.ts'
import { apiIntegrationRules } from './api-integration.rules.ts'
import { apiIntegrationFields } from './api-integration-fields.ts'
import { inspectTogether } from './inspect-together.ts'

/** A call of another system that AI agents may make, and what it takes (contract section 13.2). */
export const apiIntegration = defineResource({
  kind: 'api_integration',
  plural: 'api-integrations',
  title: 'ApiIntegration',
  table: 'api_integrations',
  path: '/api/v1/ai-agents/external/api-integrations',
  conventions: externalConventions,
  scopes: { read: 'ai_integrations_read', write: 'ai_integrations_manage', delete: 'ai_integrations_manage' },
  most: 100,
  uniqueField: 'name',
  fields: apiIntegrationFields,
  rules: { ...apiIntegrationRules, ...inspectTogether },
})
