import type { AdmittedRequest } from '../admission/index.ts'
import type { Caller } from '../auth/index.ts'
import type { Issue, Refusal } from '../errors/index.ts'
import type { Call } from '../input/call.ts'
import type { UploadedFile } from '../input/index.ts'
import type { Operation } from '../operation.ts'
import type { Services } from '../services.ts'

/** An entrypoint to the operations. `Incoming` is a request as it arrives, before the caller is known. */
export interface Entry<Incoming> {
  /** The prefix of its paths, which metrics name. */
  readonly prefix: string
  /** Gate 2: authenticates the caller of an operation. `isAgain` is whether it has been authenticated for this request before. */
  authenticate(
    request: Incoming,
    services: Services,
    operation: Operation,
    isAgain?: boolean,
  ): Promise<Caller | Refusal>
  /** The rate limit that the operation counts against (gate 5). */
  rateBucket(operation: Operation): 'read' | 'write'
  /** The headers of every response of the operation. Gate 5 adds those of the rate limit. */
  headers(operation: Operation): Record<string, string>
}

/** What an entrypoint knows of a request before it reads the first byte of the body. */
export interface Arrival
  extends Pick<Call, 'query' | 'requestId' | 'clientRequestId' | 'address' | 'whenGone' | 'whenLeft' | 'waited'> {
  /** The rate limit that the request counts against. */
  readonly rateBucket: 'read' | 'write'
  /** The headers of the response. The rate limit headers are added to them, even when the request is refused. */
  readonly headers: Record<string, string>
  /** The id of the last event that the client has received of a live stream; null without `Last-Event-ID`. */
  readonly lastEventId: string | null
  /** Gate 2 once more, for a request that has waited. */
  authenticateAgain(): Promise<Caller | Refusal>
}

/** A request that has passed the first gates and holds a slot. Everything it holds counts against its organization. */
export interface RequestLease {
  readonly operation: Operation
  readonly caller: Caller
  readonly arrival: Arrival
  readonly admitted: AdmittedRequest
}

/** The content of a request, as its entrypoint has decoded it. */
export interface Input {
  readonly path: Readonly<Record<string, string>>
  /** The text of each parameter: see `Call.query`. */
  readonly query: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string
  readonly body: DecodedBody
}

/** A decoded body, with the issues found in it. */
export interface DecodedBody {
  /** The JSON value, or the parts of a form; undefined without a body. The fingerprint is computed from it. */
  readonly sent: unknown
  /** The text parts and files of a form. */
  readonly form?: { readonly texts: Readonly<Record<string, string>>; readonly files: readonly UploadedFile[] }
  readonly issues: readonly Issue[]
  /** The number of all issues, of which only the first may be listed; 0 if all are listed. */
  readonly count: number
  readonly bytes: number
}
