import { defineResource, externalConventions } from '../../kernel/index.ts'
import type { Issue, JsonObject } from '../../kernel/schema/index.ts'
import { apiIntegrationRules, contradictions } from './api-integration.rules.ts'
import { apiIntegrationFields } from './api-integration-fields.ts'
import { declaredAuth } from './auth-field.ts'
import { listedHeaders } from './headers-field.ts'
import { declaredParameters } from './parameters-field.ts'

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
  rules: {
    ...apiIntegrationRules,
    inspectCreate: input =>
      inspectPatch({ parameters: [], headers: [], auth: { type: 'none' }, bodyTemplate: null, ...input }),
    inspectPatch,
  },
})

/** What is wrong with a request because its own members contradict each other (400); with what is stored it is a 422. */
function inspectPatch({ url, parameters, headers, auth, bodyTemplate }: JsonObject): Issue[] {
  return contradictions({
    ...(typeof url === 'string' ? { url } : {}),
    ...(parameters === undefined ? {} : { parameters: declaredParameters(parameters) }),
    ...(headers === undefined ? {} : { headers: listedHeaders(headers) }),
    ...(auth === undefined ? {} : { auth: declaredAuth(auth) }),
    ...(typeof bodyTemplate === 'string' ? { bodyTemplate } : {}),
  })
}
