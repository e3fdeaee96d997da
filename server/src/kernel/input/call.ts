import type { ErrorCode, Refusal } from '../errors/index.ts'
import type { JsonText } from '../schema/index.ts'

/** A request as an entrypoint passes it on. Only its route is known; nothing else was checked yet. */
export interface Call {
  readonly method: string
  /** The path as it was sent. It decides the form of the envelope. */
  readonly url: string
  /** The address of the client. */
  readonly address: string
  /** The address of what has opened the connection: the client, or a proxy. A connection that is lost has none. */
  readonly peer: string | undefined
  /** Whether the client has sent the request over https, to this server or to a trusted proxy. */
  readonly isSecure: boolean
  readonly path: Readonly<Record<string, string>>
  /** The text of each parameter. A repeated parameter has a list of texts, an undecodable one `notUtf8`. */
  readonly query: Readonly<Record<string, unknown>>
  /** A UUID: the client's `X-Request-Id` if that is one. */
  readonly requestId: string
  /** The client's `X-Request-Id` if it is safe to echo and not a UUID. */
  readonly clientRequestId: string | null
  /** Records that the token of the request, or the link that it follows, is valid; and its application, if known. */
  authenticated(applicationId?: string): void
  /** A header by its lower-case name. The values of a repeated header are joined with commas. */
  header(name: string): string | undefined
  /** The whole body, empty if there is none; or a refusal: 413, or that of `take`. */
  readBody(limit: number, take: TakeBody): Promise<Uint8Array | Refusal>
  /** The body chunk by chunk, for a body that is not held whole. Throws `ClientGone`. */
  streamBody(): AsyncIterable<Uint8Array>
  readonly whenGone: WhenGone
  /** The same, and also when the client has closed its half of the connection: it may be gone, or may still read its answer. */
  readonly whenLeft: WhenGone
  /** Records for how long the request has waited for a change. That is no time that serving it took. */
  waited(milliseconds: number): void
  /** Calls the listener once, when the answer was sent or the client is gone. */
  whenClosed(listener: () => void): void
}

/** Calls the listener when the client is gone, at once if it already is. Returns a function that removes the listener. */
export type WhenGone = (listener: () => void) => () => void

/** Reserves memory for more bytes of a body before they are kept; a refusal if there is none left. */
export type TakeBody = (bytes: number) => Refusal | null

/** The client went away before its request was complete, or before it had its answer. */
export class ClientGone extends Error {}

/** An answer, ready to be sent. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonText
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  /** The error code, if the request was refused. */
  readonly code?: ErrorCode
}

/** An answer that is sent while it is produced, and never held as a whole, such as a file. */
export interface ByteStream {
  readonly mediaType: string
  /** The name that clients use to save it. */
  readonly fileName?: string
  /** Whether it tells of what happens, and so goes on until one side ends it. */
  readonly isLive?: true
  /** The number of bytes, if it is known beforehand. */
  readonly length?: number
  /**
   * The bytes. The next chunk is requested when there is room for it. The source opens what it needs, such as a cursor, when the first
   * chunk is requested, and closes it in `return`. A HEAD requests no chunk.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** The head of an answer together with the source of its bytes. */
export interface StreamedReply extends Omit<Reply, 'body'> {
  readonly stream: ByteStream
}

/**
 * `Content-Disposition` of a file that the client saves. It contains the name twice: in ASCII for old clients, and unchanged (RFC 6266).
 */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/gu,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
