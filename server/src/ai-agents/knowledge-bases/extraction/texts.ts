import { createReadStream } from 'node:fs'
import MarkdownIt from 'markdown-it'
import { decoderOf, detectEncoding } from '../../../kernel/documents/index.ts'
import { type Block, tidied } from './block.ts'
import { HtmlReader } from './html.ts'
import { Unindexable } from './unindexable.ts'

/** The blocks of a page of HTML. */
export async function* htmlBlocks(path: string): AsyncGenerator<Block> {
  const reader = new HtmlReader()
  for await (const text of charactersOf(path)) yield* reader.write(text)
  yield* reader.end()
}

/** The blocks of a Markdown text: those of the page that it makes. */
export async function* markdownBlocks(path: string): AsyncGenerator<Block> {
  const reader = new HtmlReader()
  yield* reader.write(new MarkdownIt({ html: true }).render(await wholeText(path)))
  yield* reader.end()
}

/** The paragraphs of a plain text. */
export async function* plainBlocks(path: string): AsyncGenerator<Block> {
  for (const paragraph of (await wholeText(path)).split(/\r?\n\s*\n|\f/u)) {
    const text = tidied(joinedLines(paragraph))
    if (text !== '') yield { text }
  }
}

/** A paragraph whose words were divided at the ends of lines. */
export function joinedLines(paragraph: string): string {
  return paragraph.replaceAll(/(\p{Ll})-\s*\r?\n\s*(?=\p{Ll})/gu, '$1')
}

async function wholeText(path: string): Promise<string> {
  let all = ''
  for await (const text of charactersOf(path)) all += text
  return all
}

async function* charactersOf(path: string): AsyncGenerator<string> {
  const { encoding, isText } = await detectEncoding(path)
  if (!isText) throw new Unindexable('damaged')
  const decoder = decoderOf(encoding)
  const chunks: AsyncIterable<Buffer> = createReadStream(path)
  for await (const chunk of chunks) yield decoder.write(chunk)
  yield decoder.end()
}
