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
 * Finds the encoding of a text file: by its byte order mark, by the zeros of UTF-16, or by whether what it has beyond ASCII
 * is mostly UTF-8, so that a broken byte costs its row. What is left is Windows-1251 when its letters look Cyrillic, else Windows-1252. Reads
 * the whole file, because the first umlaut may stand on its last line.
 */
export async function detectEncoding(path: string): Promise<Detected> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const counts = new Uint32Array(256)
  let cyrillicPairs = 0
  let wide = 0
  let broken = 0
  let isMarked = false
  let first = true
  const look = (text: string) => {
    wide += text.match(/[^\0-\x7F]/gu)?.length ?? 0
    broken += text.match(/\uFFFD/gu)?.length ?? 0
  }
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path)
  for await (const bytes of chunks) {
    if (first) {
      const encoding = wideEncoding(bytes)
      if (encoding !== null) return { encoding, isText: true }
      isMarked = utf8Mark.every((byte, index) => bytes[index] === byte)
      first = false
    }
    look(utf8.decode(bytes, { stream: true }))
    for (const [index, byte] of bytes.entries()) {
      counts[byte] = (counts[byte] ?? 0) + 1
      if (isCyrillic(byte) && isCyrillic(bytes[index + 1] ?? 0)) cyrillicPairs += 1
      // U+FFFD itself, as other programs leave it where bytes were broken.
      if (byte === 0xef && bytes[index + 1] === 0xbf && bytes[index + 2] === 0xbd) broken -= 1
    }
  }
  look(utf8.decode())
  if (isMarked || broken <= 0 || broken * 2 < wide) return { encoding: 'utf-8', isText: isMostlyText(counts) }
  const isText = controlsIn(counts) === 0
  const high = counts.subarray(0x80).reduce((sum, count) => sum + count, 0)
  return { encoding: cyrillicPairs * 2 > high ? 'windows-1251' : 'windows-1252', isText }
}

const utf8Mark = [0xef, 0xbb, 0xbf]

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

/** Whether the byte is a Russian letter in Windows-1251. Two in a row are rare in western texts. */
function isCyrillic(byte: number): boolean {
  return byte >= 0xc0 || byte === 0xa8 || byte === 0xb8
}

/** People paste texts with control characters, which UTF-8 by itself shows to be no other bytes. Zeros stand in no text. */
function isMostlyText(counts: Uint32Array): boolean {
  const bytes = counts.reduce((sum, count) => sum + count, 0)
  return counts[0] === 0 && controlsIn(counts) * 10 <= bytes
}

/** Control characters other than tab, line breaks and form feed, which stand in no table. */
function controlsIn(counts: Uint32Array): number {
  return counts.subarray(0, 32).reduce((sum, count, byte) => sum + ([9, 10, 12, 13].includes(byte) ? 0 : count), 0)
}
