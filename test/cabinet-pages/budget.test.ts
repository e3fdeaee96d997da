import { readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { builtPages } from './support/built-pages.ts'

/** What the build says of a file: what it needs at once, and what it loads when it is wanted. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly imports?: readonly string[]
}

const kilobyte = 1000
// ADR 0036 says what they are made of.
const [toFirstList, laterPage] = [200 * kilobyte, 60 * kilobyte]

test('what a browser loads stays within its budget: until the first list, and for each later page', async () => {
  const folder = await builtPages()
  const chunks = new Map<string, Chunk>(
    Object.entries(JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8'))),
  )
  const filesOf = (names: readonly string[], found = new Set<string>(), seen = new Set<string>()): Set<string> => {
    for (const name of names) {
      if (seen.has(name)) continue
      seen.add(name)
      const chunk = chunks.get(name)
      if (chunk === undefined) throw new Error(`the build has no ${name}`)
      for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file)
      filesOf(chunk.imports ?? [], found, seen)
    }
    return found
  }
  const sizeOf = async (files: Iterable<string>) => {
    const sizes = [...files].map(async file => {
      const compressed = await stat(new URL(`${file}.br`, folder)).catch(() => stat(new URL(file, folder)))
      return compressed.size
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }
  // The largest of the languages; browsers load one.
  const languages = ['en', 'de', 'ru'].map(language => `virtual:catalog/first/${language}`)
  const languageSizes = await Promise.all(
    [...chunks].filter(([name]) => languages.some(each => name.endsWith(each))).map(([, { file }]) => sizeOf([file])),
  )
  expect(languageSizes).toHaveLength(languages.length)
  const first = filesOf(['index.html'])
  const sum = (await sizeOf(first)) + Math.max(...languageSizes)
  expect(sum).toBeLessThan(toFirstList)
  const later = [...chunks].filter(([name]) => /-(?:page|route)\.tsx$/u.test(name))
  expect(later.length).toBeGreaterThan(2)
  for (const [name] of later) {
    const added = [...filesOf([name])].filter(file => !first.has(file))
    expect(await sizeOf(added), name).toBeLessThan(laterPage)
  }
})
