import { scopes } from '../kernel/auth/index.ts'
import { nearestWord } from '../kernel/schema/index.ts'
import { AdministrationError } from './administration-error.ts'

/**
 * The scopes that were asked for, in the order of those that can be granted; `all` stands for these. Throws an
 * `AdministrationError` for an unknown one.
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
