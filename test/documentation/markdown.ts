import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that everything is named from. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A page of the documentation. */
export interface Page {
  /** From the root. */
  readonly path: string
  readonly text: string
}

export async function readPage(path: string): Promise<Page> {
  return { path, text: await readFile(join(root, path), 'utf8') }
}

/** Every page there is: those beside the sources, those of `docs` and of the examples, and that of the tests. */
export async function allPages(): Promise<Page[]> {
  const pages = (names: readonly string[]) => names.filter(name => name.endsWith('.md'))
  const below = async (folder: string) =>
    pages(await readdir(join(root, folder), { recursive: true })).map(name => `${folder}/${name}`)
  const paths = [
    ...pages(await readdir(root)),
    ...(await below('docs')),
    ...(await below('examples')),
    'test/README.md',
  ]
  return Promise.all(paths.toSorted().map(readPage))
}

/** A fenced block of code. */
export interface Block {
  readonly language: string
  readonly text: string
  /** What stands between the block before and this one. */
  readonly prose: string
}

/** The fenced blocks of a text, in order. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let end = 0
  for (const match of text.matchAll(/^```(\w*)\n(.*?)^```$/gmsu)) {
    const [whole, language = '', content = ''] = match
    blocks.push({ language, text: content, prose: text.slice(end, match.index) })
    end = match.index + whole.length
  }
  return blocks
}

/** A text without its fenced blocks. */
export function proseOf(text: string): string {
  return text.replace(/^```.*?^```$/gmsu, '')
}

/** From a heading to the next one of the same level. */
export function sectionOf({ path, text }: Page, heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${path} has no section "${heading}"`)
  const rest = text.slice(start + 4)
  const end = rest.indexOf('\n## ')
  return end < 0 ? rest : rest.slice(0, end)
}
