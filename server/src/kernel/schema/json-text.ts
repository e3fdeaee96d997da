/** A JSON text; a long one is its UTF-8 bytes in parts, because it would be turned into bytes in one go otherwise. */
export type JsonText = string | readonly Buffer[]

/** Characters that are turned into bytes at a time; ordinary answers are shorter, and stay texts, which cost less. */
const partLength = 256 * 1024
/** Bytes that are turned into characters at a time, which takes longer. */
const readBytes = 64 * 1024
/** Elements that are written at a time at most: writing each by itself costs half as much again. */
const mostTogether = 16

/**
 * The text of a JSON list between two other texts. It stops after each 256 KiB, or a few elements more, so that a long
 * list is written while others run in between.
 */
export function* listText(before: string, elements: readonly unknown[], after: string): Generator<unknown, JsonText> {
  const parts: Buffer[] = []
  let text = before
  let together = 1
  for (let start = 0, end: number; start < elements.length; start = end) {
    end = start + together
    const written = JSON.stringify(elements.slice(start, end)).slice(1, -1)
    text += start === 0 ? written : `,${written}`
    // As many as are likely to make a part, judged by the last ones.
    together = Math.max(1, Math.min(mostTogether, Math.floor((partLength * together) / written.length)))
    if (text.length < partLength) continue
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  if (parts.length === 0) return `${text}${after}`
  parts.push(Buffer.from(`${text}${after}`))
  return parts
}

/** The bytes of a text, in parts; it stops after each. */
export function* partsOf(text: JsonText): Generator<unknown, readonly Buffer[]> {
  if (typeof text !== 'string') return text
  const parts: Buffer[] = []
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + partLength
    // The two halves of a character stay together.
    if (isLowSurrogate(text.charCodeAt(end))) end += 1
    parts.push(Buffer.from(text.slice(start, end)))
    yield
  }
  return parts
}

/** The text of UTF-8 bytes, without a byte order mark, in steps; throws a `TypeError` when they are no UTF-8. */
export function* textOf(bytes: Uint8Array): Generator<unknown, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for (let start = 0; start < bytes.length; start += readBytes) {
    text += decoder.decode(bytes.subarray(start, start + readBytes), { stream: true })
    yield
  }
  return text + decoder.decode()
}

/** The text in one piece. */
export function joined(text: JsonText): string | Buffer {
  return typeof text === 'string' ? text : Buffer.concat(text)
}

/** About how many bytes it has. */
export function sizeOf(text: JsonText): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, part) => sum + part.length, 0)
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
