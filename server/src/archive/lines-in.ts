import { ArchiveError } from './archive-error.ts'

const mebibyte = 1024 * 1024
/** Far more than the largest row that the server writes, which is the stored answer of a batch. */
const mostCharacters = 64 * mebibyte

/**
 * The lines of a file, one at a time, in order. Throws an `ArchiveError` with the number of the line for bytes that are not UTF-8, and for
 * a line that is longer than any row can be.
 */
export async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let number = 1
  let begun: string[] = []
  let length = 0
  const decoded = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new ArchiveError(`line ${number} or one soon behind it is not UTF-8`)
    }
  }
  for await (const chunk of bytes) {
    const [first = '', ...others] = decoded(chunk).split('\n')
    begun.push(first)
    length += first.length
    if (length > mostCharacters)
      throw new ArchiveError(`line ${number} is longer than ${mostCharacters / mebibyte} MiB`)
    for (const next of others) {
      yield begun.join('')
      number += 1
      begun = [next]
      length = next.length
    }
  }
  begun.push(decoded())
  const rest = begun.join('')
  if (rest !== '') yield rest
}
