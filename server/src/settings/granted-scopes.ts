import { scopes } from '../kernel/auth/index.ts'
import { nearestWord } from '../kernel/schema/index.ts'
import { AdministrationError } from './administration-error.ts'

/**
 * The requested scopes, in the order of the grantable ones; `all` stands for all of these. Throws an `AdministrationError` for an unknown
 * scope.
 */
export function grantedScopes(asked: readonly string[], grantable: readonly string[] = scopes): readonly string[] {
  const unknown = asked.find(word => word !== 'all' && !grantable.includes(word))
  if (unknown !== undefined) {
    const nearest = nearestWord(unknown, grantable)
    const meant = nearest === null ? '.' : `; did you mean ${nearest}?`
    throw new AdministrationError(`no such scope: ${unknown}${meant} There are all, ${grantable.join(', ')}`)
  }
  return asked.includes('all') ? grantable : grantable.filter(scope => asked.includes(scope))
}
