/** Characters that are turned into bytes at a time. */
const partLength = 64 * 1024

/**
 * The UTF-8 bytes of a JSON list between two texts, in parts of 64 KiB or one element more. It stops after each part, so
 * that a long list is written while others run in between; a short one is one part.
 */
export function* listBytes(
  before: string,
  elements: readonly unknown[],
  after: string,
): Generator<unknown, readonly Buffer[]> {
  const parts: Buffer[] = []
  let text = before
  let separator = ''
  for (const element of elements) {
    text += `${separator}${JSON.stringify(element) ?? 'null'}`
    separator = ','
    if (text.length < partLength) continue
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  parts.push(Buffer.from(`${text}${after}`))
  return parts
}

/** The UTF-8 bytes of a text, in parts as of a list. */
export function* textBytes(text: string): Generator<unknown, readonly Buffer[]> {
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
  for (let start = 0; start < bytes.length; start += partLength) {
    text += decoder.decode(bytes.subarray(start, start + partLength), { stream: true })
    yield
  }
  return text + decoder.decode()
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
