import type { Services } from '../kernel/index.ts'
import { type KeptConnections, OutboundFailure } from '../kernel/outbound/index.ts'
import type { EventMessage } from './event-body.ts'
import { type CallOutcome, outcomeOfStatus, outcomeWithoutAnswer } from './outcome.rules.ts'
import { signedHeaders } from './signature.ts'
import { type Subscription, secretsAt } from './subscription.ts'

interface Parts {
  readonly services: Pick<Services, 'clock'>
  readonly connections: KeptConnections
}

/** Calls the receiver of a webhook once. `took` is in milliseconds. Throws for a webhook whose secrets cannot be read. */
export async function postMessage(
  { id, body, requestId }: EventMessage,
  { organizationId, receiver, overlapsUntil }: Subscription,
  { services: { clock }, connections }: Parts,
): Promise<{ readonly outcome: CallOutcome; readonly took: number }> {
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
    },
    body,
  })
  const took = Math.round(performance.now() - begun)
  if (answer instanceof OutboundFailure) return { outcome: outcomeWithoutAnswer(answer.reason), took }
  return { outcome: outcomeOfStatus(answer.status, answer.headers['retry-after'], clock.now()), took }
}
