import { isUuid } from '../kernel/schema/index.ts'
import { AdministrationError, noSuch } from './administration-error.ts'

/** Normalizes an identifier; a text that is not a UUID counts as unknown. */
export function uuidOf(what: string, id: string): string {
  if (!isUuid(id)) throw noSuch(what, id)
  return id.toLowerCase()
}

/** One of several words. */
export function wordOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const word = words.find(candidate => candidate === text)
  if (word === undefined) throw new AdministrationError(wordMessage(what, words, text))
  return word
}

export function wordMessage(what: string, words: readonly string[], text: string): string {
  return `${what} is one of ${words.join(', ')}, not "${text}"`
}

/** The name of a kind of settings in messages and commands: `lost reason`. */
export function wordFor({ kind }: { readonly kind: string }): string {
  return kind.replaceAll('_', ' ')
}
