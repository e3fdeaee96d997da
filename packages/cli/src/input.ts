import { UsageError } from './failure.ts'

/** A whole stream as text. Throws UsageError, and reads no further, if it has more bytes than the limit. */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  limit: number,
  name: string,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) throw new UsageError(`${name} has more than ${limit} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
