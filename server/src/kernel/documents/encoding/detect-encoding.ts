import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { ByteSample } from './byte-sample.ts'
import type { Encoding } from './encoding-names.ts'
import { type EncodingGuess, guessEncoding } from './guess-encoding.ts'

/** What the bytes of a text file show: its encoding, whether that is only likely, and whether they are text at all. */
export interface Detected {
  readonly encoding: Encoding
  /** Null if the bytes leave no doubt. */
  readonly guess: EncodingGuess | null
  readonly isText: boolean
}

/**
 * Detects the encoding of a text file: by its byte order mark, by the zeros of UTF-16, by the escapes of ISO-2022-JP, or by whether its
 * bytes beyond ASCII are mostly UTF-8, so that a broken byte costs its row. Otherwise guesses it from a sample. Reads the whole file,
 * because the first umlaut may be on its last line.
 */
export async function detectEncoding(path: string): Promise<Detected> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const counts = new Uint32Array(256)
  const sample = new ByteSample()
  let wide = 0
  let broken = 0
  let isJapanese = false
  let isMarked = false
  let first = true
  const look = (text: string) => {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit >= 0x80) wide += 1
      if (unit === 0xfffd) broken += 1
    }
    isJapanese ||= japaneseEscapes.some(sequence => text.includes(sequence))
  }
  const chunks: AsyncIterable<Buffer> = createReadStream(path)
  for await (const bytes of chunks) {
    if (first) {
      const encoding = wideEncoding(bytes)
      if (encoding !== null) return { encoding, guess: null, isText: true }
      isMarked = utf8Mark.every((byte, index) => bytes[index] === byte)
      first = false
    }
    look(utf8.decode(bytes, { stream: true }))
    sample.add(bytes)
    for (const [index, byte] of bytes.entries()) {
      counts[byte] = (counts[byte] ?? 0) + 1
      // U+FFFD itself, as other programs leave it where bytes were broken.
      if (byte === 0xef && bytes[index + 1] === 0xbf && bytes[index + 2] === 0xbd) broken -= 1
    }
  }
  look(utf8.decode())
  if (wide === 0 && isJapanese)
    return { encoding: 'iso-2022-jp', guess: null, isText: controlsIn(counts, escape) === 0 }
  if (isMarked || broken <= 0 || broken * 2 < wide)
    return { encoding: 'utf-8', guess: null, isText: isMostlyText(counts) }
  if (controlsIn(counts) > 0) return { encoding: 'utf-8', guess: null, isText: false }
  const guess = await guessEncoding(sample.end())
  return { encoding: guess.encoding, guess, isText: true }
}

const utf8Mark = [0xef, 0xbb, 0xbf]
const escape = 0x1b
/** How ISO-2022-JP changes to Japanese characters. */
const japaneseEscapes = ['\u001B$@', '\u001B$B']

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

/** People paste texts with control characters, which UTF-8 by itself shows to be no other bytes. Zeros stand in no text. */
function isMostlyText(counts: Uint32Array): boolean {
  const bytes = counts.reduce((sum, count) => sum + count, 0)
  return counts[0] === 0 && controlsIn(counts) * 10 <= bytes
}

/** Control characters that stand in no table: all but tab, line breaks and form feed, and those that are allowed. */
function controlsIn(counts: Uint32Array, ...allowed: readonly number[]): number {
  const usual = [9, 10, 12, 13, ...allowed]
  return counts.subarray(0, 32).reduce((sum, count, byte) => sum + (usual.includes(byte) ? 0 : count), 0)
}
