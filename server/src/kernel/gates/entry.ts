import type { Visit } from '../admission/index.ts'
import type { Caller } from '../auth/index.ts'
import type { Issue, Refusal } from '../errors/index.ts'
import type { Call } from '../input/call.ts'
import type { UploadedFile } from '../input/index.ts'
import type { Operation } from '../operation.ts'
import type { Services } from '../services.ts'

/** A way in to operations. `Incoming` is a request as it comes, before it is known who calls. */
export interface Entry<Incoming> {
  /** Where its paths begin. */
  readonly prefix: string
  /** Gate 2: who calls. */
  authenticate(request: Incoming, services: Services): Promise<Caller | Refusal>
  /** The rate limit that a call of the operation counts against (gate 5). */
  rateBucket(operation: Operation): 'read' | 'write'
  /** The headers of every answer of the operation, before gate 5 adds those of the rate limit. */
  headers(operation: Operation): Record<string, string>
}

/** What an entrypoint knows of a request before it has read a byte of its body. */
export interface Arrival extends Pick<Call, 'query' | 'requestId' | 'clientRequestId' | 'address' | 'whenGone'> {
  /** Which rate limit it counts against. */
  readonly rateBucket: 'read' | 'write'
  /** The headers of the answer. Those of the rate limit are added, also to that of a refusal. */
  readonly headers: Record<string, string>
}

/** A request that has passed the gates up to its place: whatever it holds counts for its organization. */
export interface RequestLease {
  readonly operation: Operation
  readonly caller: Caller
  readonly arrival: Arrival
  readonly place: Visit
}

/** What a request says, in the form in which its entrypoint has decoded it. */
export interface Input {
  readonly path: Readonly<Record<string, string>>
  /** The text of each parameter: see `Call.query`. */
  readonly query: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string
  readonly body: DecodedBody
}

/** A body that was decoded, with what is wrong with it. */
export interface DecodedBody {
  /** The JSON value, or the parts of a form; undefined where there is no body. The fingerprint is made of it. */
  readonly sent: unknown
  /** The texts and files of a form. */
  readonly form?: { readonly texts: Readonly<Record<string, string>>; readonly files: readonly UploadedFile[] }
  readonly issues: readonly Issue[]
  /** The number of all issues; 0 if all are listed. */
  readonly count: number
  readonly bytes: number
}
