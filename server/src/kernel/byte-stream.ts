/** An answer that is sent while it is made, and never held whole, such as a file. */
export interface ByteStream {
  readonly mediaType: string
  /** The name under which clients save it. */
  readonly fileName?: string
  /** The number of bytes, if it is known beforehand. */
  readonly length?: number
  /**
   * The bytes. The next chunk is asked for when there is room for it. The source opens what it needs, such as a cursor,
   * when the first chunk is asked for, and closes it in `return`. For a HEAD no chunk is asked for.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * `Content-Disposition` of a file that the client saves. It has the name twice: in ASCII for old clients, and unchanged
 * (RFC 6266).
 */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/gu,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
