import type { JsonObject } from '../../kernel/schema/index.ts'
import { grantableScopes } from '../../modules.ts'

/** A token as a table shows it. The list of its scopes would be wider than the screen. */
export function withBriefScopes(token: JsonObject): JsonObject {
  const { scopes } = token
  const granted = Array.isArray(scopes) ? scopes.length : 0
  const all = grantableScopes.length
  return { ...token, scopes: granted === all ? 'all' : `${granted} of ${all}` }
}
