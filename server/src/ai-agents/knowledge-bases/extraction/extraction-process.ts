import { open } from 'node:fs/promises'
import { type SandboxRequest, serveSandbox } from '../../../kernel/sandbox/index.ts'
import type { Block } from './block.ts'
import type { FileKind } from './file-kind.ts'
import type { Passage } from './passage.ts'
import { split } from './split.ts'
import { TextLoss } from './text-loss.ts'
import { Unindexable } from './unindexable.ts'

/** What to make of a file of a knowledge base, with the most passages and bytes of text that it may have. */
export interface ExtractionTask {
  readonly kind: FileKind
  readonly passages: number
  readonly text: number
}

serveSandbox(writePassages)

/** How many characters are written at a time. */
const portion = 64 * 1024

/** Writes the passages of the file as lines of JSON. Resolves to how many there are. Throws `Unindexable` or `UnreadableFile`. */
async function writePassages({ source, result, task }: SandboxRequest<ExtractionTask>): Promise<number> {
  let [count, bytes, lines] = [0, 0, '']
  const loss = new TextLoss()
  const file = await open(result, 'wx', 0o600)
  try {
    for await (const passage of passagesOf(source, task.kind)) {
      const line = `${JSON.stringify(passage)}\n`
      count += 1
      loss.add(passage.text)
      bytes += Buffer.byteLength(line)
      if (count > task.passages) throw new Unindexable('too_many_passages')
      if (bytes > task.text) throw new Unindexable('too_much_text')
      lines += line
      if (lines.length < portion) continue
      await file.write(lines)
      lines = ''
    }
    await file.write(lines)
  } finally {
    await file.close()
  }
  if (count === 0 || loss.isMost) throw new Unindexable('no_text')
  return count
}

type Blocks = (path: string) => AsyncGenerator<Block>

/** How each kind is read. What the others need is not loaded. */
const readers: Readonly<Record<FileKind, () => Promise<Blocks>>> = {
  pdf: async () => (await import('./pdf.ts')).pdfBlocks,
  docx: async () => (await import('./docx.ts')).docxBlocks,
  xlsx: async () => (await import('./tables.ts')).tableBlocks,
  csv: async () => (await import('./tables.ts')).tableBlocks,
  html: async () => (await import('./texts.ts')).htmlBlocks,
  md: async () => (await import('./texts.ts')).markdownBlocks,
  txt: async () => (await import('./texts.ts')).plainBlocks,
}

/**
 * The passages of a file, in reading order. Throws `Unindexable` or `UnreadableFile`, whose messages are for the integrator. Files
 * may be hostile, so this runs in a process of its own: see `extraction-process.ts`.
 */
async function* passagesOf(path: string, kind: FileKind): AsyncGenerator<Passage> {
  const blocks = await readers[kind]()
  yield* split(blocks(path))
}
