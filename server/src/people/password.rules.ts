import type { Issue } from '../kernel/schema/index.ts'

/** How many characters a password has. There are no rules about which: length is what makes it hard to guess. */
export const passwordLength = { least: 12, most: 256 }

/** Whose password it is. */
export interface PasswordOwner {
  readonly email: string
  readonly name: string
}

/** Fewer characters than these beside the owner's own words are no password. */
const leastBesideWords = 8
const shortestWord = 3

/**
 * What is wrong with a new password, at most one issue; `isCommon` says whether a text is among the commonest passwords. `path` is its
 * place in the request.
 */
export function passwordIssues(
  password: string,
  owner: PasswordOwner,
  isCommon: (text: string) => boolean,
  path = '/password',
): Issue[] {
  const characters = [...password].length
  const { least, most } = passwordLength
  if (characters < least) return [{ path, rule: 'too_short', message: `A password has at least ${least} characters` }]
  if (characters > most) return [{ path, rule: 'too_long', message: `A password has at most ${most} characters` }]
  const lower = password.toLowerCase()
  if (isCommon(lower) || new Set(lower).size < 3)
    return [{ path, rule: 'too_common', message: 'This password is among those that are tried first' }]
  return isOwnName(lower, owner)
    ? [{ path, rule: 'own_name', message: 'This password is little more than your name or address' }]
    : []
}

/** Whether hardly anything is left of a password without the name and the address of its owner. */
function isOwnName(lower: string, { email, name }: PasswordOwner): boolean {
  const words = [email, ...email.split(/[@.+_-]/u), ...name.split(/\s+/u)].map(word => word.toLowerCase())
  const used = words.filter(word => word.length >= shortestWord && lower.includes(word))
  if (used.length === 0) return false
  const rest = used
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, word) => text.replaceAll(word, ''), lower)
  return [...rest].length < leastBesideWords
}
