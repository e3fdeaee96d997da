/** Bytes of a text of which only the encoding is unknown. */
export interface SampledBytes {
  /** The beginning of the text. */
  readonly head: Buffer
  /** Lines that are not all ASCII, from the whole text. */
  readonly lines: Buffer
}

const headBytes = 4 * 1024
/** Lines are taken as they come up to this many bytes, so that a small text is sampled as a whole. */
const firstBytes = 32 * 1024
/** After that, a piece of this many bytes is taken from each chunk of the file. */
const pieceBytes = 256
const mostBytes = 128 * 1024
/** How long the beginning of a line is kept until its next chunk comes. */
const mostUnfinished = 64 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d
const lineBreak = Buffer.of(lineFeed)
/** Bytes that are never part of a longer character: tab, space, quote, comma, semicolon. */
const dividers: readonly number[] = [0x09, 0x20, 0x22, 0x2c, 0x3b]

/** Takes a sample of bounded size from a text that comes in chunks. */
export class ByteSample {
  #head: Buffer = Buffer.alloc(0)
  readonly #pieces: Buffer[] = []
  #size = 0
  #unfinished: Buffer = Buffer.alloc(0)

  add(chunk: Buffer): void {
    if (this.#head.length === 0) this.#head = Buffer.from(cut(chunk, headBytes))
    const text = this.#unfinished.length === 0 ? chunk : Buffer.concat([this.#unfinished, chunk])
    const end = Math.max(text.lastIndexOf(lineFeed), text.lastIndexOf(carriageReturn)) + 1
    this.#take(text.subarray(0, end))
    const rest = text.subarray(end)
    if (rest.length > mostUnfinished) this.#take(rest)
    this.#unfinished = rest.length > mostUnfinished ? Buffer.alloc(0) : Buffer.from(rest)
  }

  /** The sample of everything that was added. */
  end(): SampledBytes {
    this.#take(this.#unfinished)
    return { head: this.#head, lines: Buffer.concat(this.#pieces) }
  }

  #take(text: Buffer): void {
    let room = Math.max(firstBytes - this.#size, Math.min(pieceBytes, mostBytes - this.#size))
    for (let at = firstOther(text, 0); at !== -1 && room > 0; ) {
      const start = lineStart(text, at)
      const end = lineEnd(text, at, start + room)
      const isWhole = end === text.length || isBreak(text[end])
      const line = isWhole ? text.subarray(start, end) : cut(text.subarray(cellStart(text, start, at)), room)
      if (line.length === 0) return
      this.#pieces.push(Buffer.from(line), lineBreak)
      this.#size += line.length + 1
      if (!isWhole) return
      room -= line.length + 1
      at = firstOther(text, end)
    }
  }
}

/** At most this many bytes from the beginning, up to a divider if there is one; otherwise a few bytes are not worth a broken character. */
function cut(text: Buffer, most: number): Buffer {
  if (text.length <= most) return text
  for (let end = most; end > 0; end -= 1) {
    const before = text[end - 1]
    if (isBreak(before) || dividers.includes(before ?? 0)) return text.subarray(0, end)
  }
  return text.subarray(0, most < pieceBytes ? 0 : most)
}

/** The offset of the first byte that is not ASCII; -1 if there is none. */
function firstOther(text: Buffer, from: number): number {
  for (let at = from; at < text.length; at += 1) if ((text[at] ?? 0) >= 0x80) return at
  return -1
}

function lineStart(text: Buffer, at: number): number {
  let start = at
  while (start > 0 && !isBreak(text[start - 1])) start -= 1
  return start
}

/** The end of a line, as far as it is not beyond an offset. */
function lineEnd(text: Buffer, at: number, most: number): number {
  let end = at
  while (end < text.length && end < most && !isBreak(text[end])) end += 1
  return end
}

function cellStart(text: Buffer, start: number, at: number): number {
  let from = at
  while (from > start && !dividers.includes(text[from - 1] ?? 0)) from -= 1
  return from
}

function isBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn
}
