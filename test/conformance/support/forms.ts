import { randomUUID } from 'node:crypto'

/** One part of a multipart body, as it is sent. */
export interface Part {
  readonly name: string
  readonly fileName?: string
  readonly mediaType?: string
  readonly content: string | Uint8Array
}

export interface Form {
  readonly headers: Readonly<Record<string, string>>
  readonly raw: Uint8Array<ArrayBuffer>
}

/** The bytes of a multipart body, and the header that goes with it. */
export function aForm(parts: readonly Part[], boundary: string = randomUUID()): Form {
  const pieces = parts.flatMap(({ name, fileName, mediaType, content }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`,
    '\r\n\r\n',
    content,
    '\r\n',
  ])
  const buffers = [...pieces, `--${boundary}--\r\n`].map(piece => Buffer.from(piece))
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return { headers, raw: new Uint8Array(Buffer.concat(buffers)) }
}
