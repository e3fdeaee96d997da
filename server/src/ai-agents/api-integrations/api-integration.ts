import { defineResource, externalConventions } from '../../kernel/index.ts'
import type { Issue, JsonObject } from '../../kernel/schema/index.ts'
import { apiIntegrationRules, contradictions } from './api-integration.rules.ts'
import { apiIntegrationFields } from './api-integration-fields.ts'
import { declaredAuth } from './auth-field.ts'
import { listedHeaders } from './headers-field.ts'
import { declaredParameters } from './parameters-field.ts'

/** A call to another system that AI agents may make, with its parameters (contract section 13.2). */
export const apiIntegration = defineResource({
  kind: 'api_integration',
  plural: 'api-integrations',
  title: 'ApiIntegration',
  table: 'api_integrations',
  path: '/api/v1/ai-agents/external/api-integrations',
  conventions: externalConventions,
  scopes: { read: 'ai_integrations_read', write: 'ai_integrations_manage', delete: 'ai_integrations_manage' },
  most: 100,
  fields: apiIntegrationFields,
  rules: {
    ...apiIntegrationRules,
    inspectCreate: input =>
      inspectPatch({ parameters: [], headers: [], auth: { type: 'none' }, bodyTemplate: null, ...input }),
    inspectPatch,
  },
})

/** Contradictions between members of the request itself (400); a contradiction with stored values is a 422. */
function inspectPatch({ url, parameters, headers, auth, bodyTemplate }: JsonObject): Issue[] {
  return contradictions({
    ...(typeof url === 'string' ? { url } : {}),
    ...(parameters === undefined ? {} : { parameters: declaredParameters(parameters) }),
    ...(headers === undefined ? {} : { headers: listedHeaders(headers) }),
    ...(auth === undefined ? {} : { auth: declaredAuth(auth) }),
    ...(typeof bodyTemplate === 'string' ? { bodyTemplate } : {}),
  })
}
