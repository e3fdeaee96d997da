import type { Call, Operation, Reply, StreamedReply } from '../../kernel/index.ts'

/** A route and what answers its requests. The access log and the metrics record its id, its path and its prefix. */
export interface HttpRoute extends Pick<Operation, 'id' | 'method' | 'path'> {
  /** The prefix of the paths of its part of the server. */
  readonly prefix: string
  /** Whether a request needs a token, a session or a valid link. Requests of other routes count as unauthenticated from their beginning. */
  readonly isGuarded: boolean
  serve(call: Call): Promise<Reply | StreamedReply>
}
