import type { Block } from './block.ts'
import type { FileKind } from './file-kind.ts'
import type { Passage } from './passage.ts'
import { split } from './split.ts'

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
export async function* passagesOf(path: string, kind: FileKind): AsyncGenerator<Passage> {
  const blocks = await readers[kind]()
  yield* split(blocks(path))
}
