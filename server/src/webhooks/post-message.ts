import type { Services } from '../kernel/index.ts'
import { type KeptConnections, OutboundFailure } from '../kernel/outbound/index.ts'
import type { EventMessage } from './event-body.ts'
import { type CallOutcome, outcomeOfStatus, outcomeWithoutAnswer } from './outcome.rules.ts'
import { shownAnswer } from './shown-answer.ts'
import { signedHeaders } from './signature.ts'
import { type Subscription, secretsAt } from './subscription.ts'

interface Posted extends EventMessage {
  /** The replay that sends it; undefined: none. */
  readonly replayId?: string | undefined
}

interface Parts {
  readonly services: Pick<Services, 'clock'>
  readonly connections: KeptConnections
}

/** What has come of a call. */
interface Called {
  readonly outcome: CallOutcome
  /** In milliseconds. */
  readonly took: number
  /** The beginning of a failed answer, without secrets; null if there is none. */
  readonly answer: string | null
}

/** Calls the receiver of a webhook once. Throws for a webhook whose secrets cannot be read. */
export async function postMessage(
  { id, body, requestId, replayId }: Posted,
  { organizationId, receiver, overlapsUntil }: Subscription,
  { services: { clock }, connections }: Parts,
): Promise<Called> {
  if (receiver === null) throw new Error('a webhook without a secret is held')
  const { url, headers } = receiver
  const at = clock.now()
  const begun = performance.now()
  const answer = await connections.post({
    owner: organizationId,
    url,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...signedHeaders({ id, body, at }, secretsAt(receiver, overlapsUntil, at)),
      ...(requestId === null ? {} : { 'crm-request-id': requestId }),
      ...(replayId === undefined ? {} : { 'crm-replay': replayId }),
    },
    body,
  })
  const took = Math.round(performance.now() - begun)
  if (answer instanceof OutboundFailure) return { outcome: outcomeWithoutAnswer(answer.reason), took, answer: null }
  const outcome = outcomeOfStatus(answer.status, answer.headers['retry-after'], clock.now())
  const isKept = outcome.kind !== 'delivered' && answer.body.length > 0
  return { outcome, took, answer: isKept ? shownAnswer(answer.body, receiver).text : null }
}
