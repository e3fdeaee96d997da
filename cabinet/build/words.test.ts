import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { wordsIn } from './catalogs.ts'

const sources = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).toSorted()
const wordFiles = files.filter(file => file.endsWith('.words.json'))
/** The page of all components is for programmers. */
const pages = files.filter(file => file.endsWith('.tsx') && !file.startsWith('showcase'))

/** Attributes that people read or hear. */
const spoken = new Set(['alt', 'aria-label', 'hint', 'label', 'note', 'placeholder', 'title'])

/** Values and elements of a text, in the order of their names. */
const placesIn = (text: string) => [...text.matchAll(/\{\w+[,}]|<\d>/gu)].map(([place]) => place).toSorted()

describe('the words of the pages', () => {
  it.each(wordFiles)('are there in every language, with the same values in them: %s', file => {
    for (const [text, words] of Object.entries(wordsIn(`${sources}/${file}`))) {
      expect(Object.keys(words).toSorted(), text).toEqual(['de', 'ru'])
      for (const word of Object.values(words)) {
        expect(word.trim(), text).not.toBe('')
        expect([...new Set(placesIn(word))], text).toEqual([...new Set(placesIn(text))])
      }
    }
  })

  it('are said once, so that a text means the same everywhere', () => {
    const all = wordFiles.flatMap(file => Object.keys(wordsIn(`${sources}/${file}`)))
    expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([])
  })

  it('stand in no page itself, where nobody would translate them', () => {
    expect(pages.length).toBeGreaterThan(30)
    expect(pages.flatMap(writtenIn)).toEqual([])
  })
})

/** Texts that a page has in its own markup. */
function writtenIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(`${sources}/${file}`, 'utf8'), ts.ScriptTarget.ES2023, true)
  const found: string[] = []
  const look = (node: ts.Node): void => {
    const isKey = ts.isJsxText(node) && /^(?:Ctrl K|Esc|Enter)$/u.test(node.text.trim())
    if (ts.isJsxText(node) && /\p{L}{2}/u.test(node.text) && !isKey) found.push(`${file}: ${node.text.trim()}`)
    if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer !== undefined)
      if (ts.isStringLiteral(node.initializer)) found.push(`${file}: ${node.initializer.text}`)
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}
