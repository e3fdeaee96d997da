import { createReadStream } from 'node:fs'
import { UsageError } from '../failure.ts'

/**
 * A file as text, in pieces, without the mark of UTF-8 at its beginning. Throws UsageError if there is none, or it is not UTF-8.
 */
export async function* readText(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('a file is read as bytes')
      yield decoder.decode(chunk, { stream: true })
      bytes += chunk.length
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const code = 'code' in error ? error.code : undefined
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new UsageError(
        `${file} is not UTF-8, soon after byte ${bytes}: convert it, as with iconv -f windows-1252 -t utf-8`,
      )
    if (code === 'ENOENT') throw new UsageError(`there is no file ${file}`)
    if (code === 'EISDIR') throw new UsageError(`${file} is a folder`)
    throw error
  }
}
