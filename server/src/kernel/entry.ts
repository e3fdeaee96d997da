import type { Caller } from './auth/index.ts'
import type { Refusal } from './errors/index.ts'
import type { Operation } from './operation.ts'
import type { Services } from './services.ts'

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
