import { TextDecoder } from 'node:util'
import iconv from 'iconv-lite'
import type { Encoding } from './encoding-names.ts'

/** Decodes a text in pieces. Bytes that the encoding does not define become U+FFFD. */
export interface Decoder {
  /** The text of the next bytes, as far as its characters are complete. */
  write(bytes: Buffer): string
  /** What is left at the end of the text. */
  end(): string
}

/** Encodings that Node.js decodes as the standard says. The others differ there by version, or lack characters. */
const standard: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'iso-2022-jp', 'macintosh', 'x-mac-cyrillic']

/** What the library calls an encoding, where that is not its name. */
const names: Readonly<Record<string, string>> = { 'euc-kr': 'cp949', gbk: 'gb18030', 'x-mac-ce': 'maccenteuro' }

/** Returns a decoder for one text. The byte order mark of a Unicode text is dropped. */
export function decoderOf(encoding: Encoding): Decoder {
  if (standard.includes(encoding)) {
    const decoder = new TextDecoder(encoding)
    return { write: bytes => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
  }
  const decoder = iconv.getDecoder(names[encoding] ?? encoding)
  return { write: bytes => withoutControls(decoder.write(bytes)), end: () => withoutControls(decoder.end() ?? '') }
}

/** A whole text. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  const decoder = decoderOf(encoding)
  return decoder.write(bytes) + decoder.end()
}

/** The encodings of ISO define control characters that stand in no text: such bytes show that the encoding is another one. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\u0080-\u009F]/gu, '\uFFFD')
}
