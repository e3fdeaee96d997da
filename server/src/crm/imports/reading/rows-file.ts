import { open } from 'node:fs/promises'
import type { SourceRow } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/limits/index.ts'
import { isObject, isTexts } from '../../../kernel/schema/index.ts'

/** How much is read at a time, in bytes. */
const portion = 64 * 1024
const lineFeed = 0x0a

/** How many characters are written at a time. */
const writtenPortion = 64 * 1024

/**
 * Writes rows into a new file, each as a line of JSON that begins with the number of the row: `[2,["Ann","Smith"]]`, with its problems as
 * the third element if there are any. Resolves to the size of the file in bytes.
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
      if (lines.length >= writtenPortion) await flush()
    }
    await flush()
  } finally {
    await file.close()
  }
  return size
}

/** Reads the file that `writeRows` has written for an import, from where the last read stopped. */
export class RowsFile {
  readonly #path: string
  /** The offset of the next unread row, as far as it is known. */
  #offset = 0

  constructor(path: string) {
    this.#path = path
  }

  /** The next rows after this line of the source: at most `most` rows of about `importChunk` bytes; none at the end of the file. */
  async next(position: number, most: number): Promise<readonly SourceRow[]> {
    const rows: SourceRow[] = []
    let bytes = 0
    const file = await open(this.#path)
    try {
      for await (const text of linesFrom(file, this.#offset)) {
        if (numberOf(text) <= position) {
          this.#offset += text.length + 1
          continue
        }
        bytes += text.length
        if (rows.length > 0 && bytes > bounds.importChunk.most) break
        rows.push(toRow(JSON.parse(text.toString())))
        if (rows.length >= most) break
      }
    } finally {
      await file.close()
    }
    return rows
  }
}

/** The lines of a file from an offset, without their line feeds. */
async function* linesFrom(file: Awaited<ReturnType<typeof open>>, offset: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for (let at = offset; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(portion), 0, portion, at)
    if (bytesRead === 0) return
    at += bytesRead
    const read = buffer.subarray(0, bytesRead)
    let start = 0
    for (let end = read.indexOf(lineFeed); end !== -1; end = read.indexOf(lineFeed, start)) {
      parts.push(read.subarray(start, end))
      yield parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
      parts = []
      start = end + 1
    }
    parts.push(read.subarray(start))
  }
}

/** The number of a row, with which its line begins. To skip a row, only the number is parsed. */
function numberOf(text: Buffer): number {
  const digits = /^\[(\d+),/u.exec(text.toString('latin1', 0, 20))?.[1]
  if (digits === undefined) throw notARow()
  return Number(digits)
}

/** Validates the content: the process that wrote it has parsed an untrusted file. */
function toRow(value: unknown): SourceRow {
  const [line, cells, problems = []]: unknown[] = Array.isArray(value) ? value : []
  if (typeof line !== 'number' || !isTexts(cells) || !Array.isArray(problems)) throw notARow()
  return { line, cells, problems: problems.map(toProblem) }
}

function toProblem(value: unknown): SourceRow['problems'][number] {
  const { column, code, message } = isObject(value) ? value : {}
  const known = (['row_parse_error', 'too_long', 'invalid_format', 'column_count'] as const).find(each => each === code)
  if (known === undefined || typeof message !== 'string') throw notARow()
  return { column: typeof column === 'number' ? column : null, code: known, message }
}

function notARow(): Error {
  return new Error('a row of an import is not valid')
}
