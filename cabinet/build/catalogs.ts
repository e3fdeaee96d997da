import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import type { Language } from '../src/words/languages.ts'

/** A text in English, and what it is in the other languages. */
type Words = Readonly<Record<string, Readonly<Record<Exclude<Language, 'en'>, string>>>>

export type Catalog = Readonly<Record<string, ReturnType<typeof compileMessage>>>

/**
 * The files of words below the folder, one beside the code of each folder of pages. Those that end with `.later.words.json` are of what a
 * browser loads later.
 */
export function wordFiles(folder: string, part: 'first' | 'later'): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.words.json') && name.endsWith('.later.words.json') === (part === 'later'))
    .map(name => join(folder, name))
    .toSorted()
}

/** The texts of a file. */
export function wordsIn(file: string): Words {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** The texts of a language by their ids, compiled, so that the browser needs no parser. */
export function catalogOf(files: readonly string[], language: Language): Catalog {
  const catalog: Record<string, ReturnType<typeof compileMessage>> = {}
  for (const file of files) {
    for (const [text, words] of Object.entries(wordsIn(file)))
      catalog[text] = compileMessage(language === 'en' ? text : words[language])
  }
  return catalog
}
