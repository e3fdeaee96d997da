/** An answer that is sent as it is made, and never held whole: a file. */
export interface ByteStream {
  readonly mediaType: string
  /** The name under which clients save it. */
  readonly fileName?: string
  /** How many bytes it has, where that is known beforehand. */
  readonly length?: number
  /**
   * Asked for the next bytes when there is room for them. What the source needs, such as a cursor, it opens when it is
   * asked for the first time, and closes in `return`: a HEAD never asks.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** `Content-Disposition` of a file to be saved: the name in ASCII for old clients, and as it is (RFC 6266). */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/gu,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
