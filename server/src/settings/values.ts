import { isUuid } from '../kernel/schema/index.ts'
import { AdministrationError, noSuch } from './administration-error.ts'

/** An identifier as it is kept; one that is no UUID is an unknown one. */
export function uuidOf(what: string, id: string): string {
  if (!isUuid(id)) throw noSuch(what, id)
  return id.toLowerCase()
}

/** One of the words. */
export function wordOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const word = words.find(candidate => candidate === text)
  if (word === undefined) throw new AdministrationError(wordMessage(what, words, text))
  return word
}

export function wordMessage(what: string, words: readonly string[], text: string): string {
  return `${what} is one of ${words.join(', ')}, not "${text}"`
}

/** What messages and commands call a setting of this kind: `lost reason`. */
export function wordFor({ kind }: { readonly kind: string }): string {
  return kind.replaceAll('_', ' ')
}
