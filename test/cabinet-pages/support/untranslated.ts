import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { wordFiles, wordsIn } from '../../../cabinet/build/catalogs.ts'

const sources = fileURLToPath(new URL('../../../cabinet/src', import.meta.url))

/** What a page says to eyes and ears: its texts, and the attributes that screen readers read. */
const said = `[...document.querySelectorAll('body *')].flatMap(element => [
  ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()),
  ...['aria-label', 'placeholder', 'title', 'alt'].map(name => element.getAttribute(name)?.trim() ?? ''),
]).concat(document.title)`

/** The texts of a page that it says in English though the language has words for them, beside `names` that users have given. */
export async function untranslated(page: Page, language: 'de' | 'ru', names: readonly string[]): Promise<string[]> {
  const texts: readonly string[] = await page.evaluate(said)
  const files = (['first', 'later'] as const).flatMap(part => wordFiles(sources, part))
  const others = files.flatMap(file => Object.entries(wordsIn(file)))
  const english = new Set(others.filter(([text, words]) => words[language] !== text).map(([text]) => text))
  return [...new Set(texts)].filter(text => english.has(text) && !names.includes(text))
}
