import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The beginning of a body. */
export interface CutBody {
  readonly bytes: Buffer
  /** Whether there was more. */
  readonly isCut: boolean
}

// Flushing returns what can be decompressed of a truncated stream.
const flushed = { finishFlush: constants.Z_SYNC_FLUSH }
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(flushed)],
  ['x-gzip', () => createGunzip(flushed)],
  ['deflate', () => createInflate(flushed)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
])

/**
 * Reads the beginning of a body: at most `most` bytes as received and at most `most` decompressed; leaves the rest unread. A body in an
 * unknown encoding stays as it is. Rejects when the connection breaks, and for a body that is not in its declared encoding.
 */
export async function readCut(body: Readable, encoding: string, most: number): Promise<CutBody> {
  const packed = await cutStream(body, most)
  const decoder = decoders.get(encoding.trim().toLowerCase())?.()
  if (decoder === undefined) return packed
  decoder.end(packed.bytes)
  const unpacked = await cutStream(decoder, most)
  return { bytes: unpacked.bytes, isCut: packed.isCut || unpacked.isCut }
}

async function cutStream(stream: AsyncIterable<Uint8Array>, most: number): Promise<CutBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most }
}
