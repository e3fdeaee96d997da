import { scopes } from '../kernel/auth/index.ts'
import { AdministrationError } from './administration-error.ts'

/**
 * The scopes that were asked for, in the order of those that can be granted; `all` stands for these. Throws an
 * `AdministrationError` for an unknown one.
 */
export function grantedScopes(asked: readonly string[], grantable: readonly string[] = scopes): readonly string[] {
  const unknown = asked.find(word => word !== 'all' && !grantable.includes(word))
  if (unknown !== undefined) {
    const nearest = grantable.toSorted((one, other) => distance(unknown, one) - distance(unknown, other))[0]
    throw new AdministrationError(
      `no such scope: ${unknown}; did you mean ${nearest}? There are all, ${grantable.join(', ')}`,
    )
  }
  return asked.includes('all') ? grantable : grantable.filter(scope => asked.includes(scope))
}

/** How many letters have to be added, left out or replaced to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [column, beside] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === beside ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
