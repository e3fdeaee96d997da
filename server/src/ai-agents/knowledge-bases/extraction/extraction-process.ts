import { open } from 'node:fs/promises'
import { type SandboxRequest, serveSandbox } from '../../../kernel/sandbox/index.ts'
import { passagesOf } from './extract.ts'
import type { FileKind } from './file-kind.ts'
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
