import { open } from 'node:fs/promises'
import type { SourceRow } from '../../../kernel/documents/index.ts'

/** How many characters are written at a time. */
const portion = 64 * 1024

/**
 * Writes rows into a new file, each as a line of JSON that begins with its number: `[2,["Ann","Smith"]]`, with its problems as the third
 * element where there are some. Resolves to the size of the file in bytes.
 */
export async function writeRows(path: string, rows: AsyncIterable<SourceRow>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  let [size, lines] = [0, '']
  const flush = async () => {
    size += (await file.write(lines)).bytesWritten
    lines = ''
  }
  try {
    for await (const { line, cells, problems } of rows) {
      lines += `${JSON.stringify(problems.length === 0 ? [line, cells] : [line, cells, problems])}\n`
      if (lines.length >= portion) await flush()
    }
    await flush()
  } finally {
    await file.close()
  }
  return size
}
