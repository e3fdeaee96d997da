import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'

/** The encodings of text files that are read. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** What the bytes of a text file show: its encoding, and whether they are text at all. */
export interface Detected {
  readonly encoding: Encoding
  readonly isText: boolean
}

/**
 * Finds the encoding of a text file: by its byte order mark, by the zeros of UTF-16, or by whether all of it is valid
 * UTF-8. What is left is Windows-1251 when its letters look Cyrillic, else Windows-1252. Reads the whole file, because
 * the first umlaut may stand on its last line.
 */
export async function detectEncoding(path: string): Promise<Detected> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const counts = new Uint32Array(256)
  let cyrillicPairs = 0
  let isUtf8 = true
  let first = true
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path)
  for await (const bytes of chunks) {
    if (first) {
      const wide = wideEncoding(bytes)
      if (wide !== null) return { encoding: wide, isText: true }
      first = false
    }
    isUtf8 &&= isValid(utf8, bytes)
    for (const [index, byte] of bytes.entries()) {
      counts[byte] = (counts[byte] ?? 0) + 1
      if (isCyrillic(byte) && isCyrillic(bytes[index + 1] ?? 0)) cyrillicPairs += 1
    }
  }
  if (isUtf8) isUtf8 = isEnded(utf8)
  const isText = !hasControls(counts)
  if (isUtf8) return { encoding: 'utf-8', isText }
  const high = counts.subarray(0x80).reduce((sum, count) => sum + count, 0)
  return { encoding: cyrillicPairs * 2 > high ? 'windows-1251' : 'windows-1252', isText }
}

/** UTF-16 by its mark, or because every other byte of its first characters is zero. */
function wideEncoding(bytes: Uint8Array): Encoding | null {
  const [one, two] = bytes
  if (one === 0xff && two === 0xfe) return 'utf-16le'
  if (one === 0xfe && two === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 512)
  if (head.length < 4 || head.length % 2 === 1) return null
  const zeros = (from: number) => head.filter((byte, index) => index % 2 === from && byte === 0).length
  const half = head.length / 2
  if (zeros(1) > half * 0.7 && zeros(0) === 0) return 'utf-16le'
  if (zeros(0) > half * 0.7 && zeros(1) === 0) return 'utf-16be'
  return null
}

function isValid(decoder: TextDecoder, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function isEnded(decoder: TextDecoder): boolean {
  try {
    decoder.decode()
    return true
  } catch {
    return false
  }
}

/** Whether the byte is a Russian letter in Windows-1251. Two in a row are rare in western texts. */
function isCyrillic(byte: number): boolean {
  return byte >= 0xc0 || byte === 0xa8 || byte === 0xb8
}

/** Control characters other than tab, line breaks and form feed stand in no table. */
function hasControls(counts: Uint32Array): boolean {
  return counts.subarray(0, 32).some((count, byte) => count > 0 && ![9, 10, 12, 13].includes(byte))
}
