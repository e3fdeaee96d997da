import type { ByteStream } from './byte-stream.ts'
import type { Refusal } from './errors/index.ts'
import type { JsonText } from './schema/index.ts'

/** A request as a shell hands it over: nothing in it has been trusted or read yet, save its route. */
export interface Call {
  readonly method: string
  /** The path as it was sent, for the form of the envelope. */
  readonly url: string
  readonly address: string
  readonly path: Readonly<Record<string, string>>
  /** A text for each parameter, a list of texts for one that came more than once, `notUtf8` for one that is unreadable. */
  readonly query: Readonly<Record<string, unknown>>
  /** UUID; the client's `X-Request-Id` when that is one. */
  readonly requestId: string
  /** A safe `X-Request-Id` of the client that is no UUID. */
  readonly clientRequestId: string | null
  /** By its lower-case name; one that came more than once is a list with commas. */
  header(name: string): string | undefined
  /** The whole body, 413, or what `take` refuses it with; an absent body is empty. */
  readBody(limit: number, take: TakeBody): Promise<Uint8Array | Refusal>
  /** The body as it comes, for one that is not held whole; throws `ClientGone`. */
  streamBody(): AsyncIterable<Uint8Array>
  readonly whenGone: WhenGone
  /** Calls the listener once: when the answer was sent, or nobody waits for it any more. */
  whenClosed(listener: () => void): void
}

/**
 * Calls the listener when nobody waits for an answer any more, at once if that is so already; answers how to stop
 * listening.
 */
export type WhenGone = (listener: () => void) => () => void

/** Asked for room for further bytes of a body before they are kept; a refusal where there is none. */
export type TakeBody = (bytes: number) => Refusal | null

/** The client went away before its request was complete; nobody is left to answer. */
export class ClientGone extends Error {}

/** An answer, ready to be sent. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonText
}

/** The head of an answer, and where its bytes come from. */
export interface StreamedReply extends Omit<Reply, 'body'> {
  readonly stream: ByteStream
}
