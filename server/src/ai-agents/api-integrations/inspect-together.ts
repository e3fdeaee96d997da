import type { Issue, JsonObject } from '../../kernel/schema/index.ts'
import { contradictions } from './api-integration.rules.ts'
import { declaredAuth } from './auth-field.ts'
import { listedHeaders } from './headers-field.ts'
import { declaredParameters } from './parameters-field.ts'

/** What is wrong with a request because its own members contradict each other (400); with what is stored it is a 422. */
export const inspectTogether = {
  inspectCreate: (input: JsonObject): Issue[] =>
    inspectPatch({ parameters: [], headers: [], auth: { type: 'none' }, bodyTemplate: null, ...input }),
  inspectPatch,
}

function inspectPatch({ url, parameters, headers, auth, bodyTemplate }: JsonObject): Issue[] {
  return contradictions({
    ...(typeof url === 'string' ? { url } : {}),
    ...(parameters === undefined ? {} : { parameters: declaredParameters(parameters) }),
    ...(headers === undefined ? {} : { headers: listedHeaders(headers) }),
    ...(auth === undefined ? {} : { auth: declaredAuth(auth) }),
    ...(typeof bodyTemplate === 'string' ? { bodyTemplate } : {}),
  })
}
