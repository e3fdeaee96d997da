import type { Clock, Secret } from '../kernel/index.ts'
import { type Outbound, OutboundFailure } from '../kernel/outbound/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { receiverColumns, receiverOf } from './receiver.ts'
import { shownAnswer, withoutSecrets } from './shown-answer.ts'
import { signedHeaders } from './signature.ts'

interface Test {
  readonly organizationId: string
  readonly id: string
}

interface Parts {
  readonly database: Database
  readonly secret: Secret
  readonly outbound: Outbound
  readonly clock: Clock
}

/** The result of a test. It contains no secret of the webhook, even if the receiver echoes it. */
export interface TestedWebhook {
  readonly status: number
  readonly milliseconds: number
  /** The beginning of the answer. */
  readonly answer: string
  /** Whether the answer was longer. */
  readonly isCut: boolean
}

/** A test that got no answer; the message is one line for the operator who ran it. */
export class WebhookTestFailed extends Error {
  override readonly name = 'WebhookTestFailed'
}

const timeoutSeconds = 15

const selectReceiver = statement(
  'select_webhook_to_test',
  `select ${receiverColumns} from webhook_subscriptions t where t.organization_id = $1 and t.id = $2`,
)

/**
 * Sends `webhook.test` to the receiver of a webhook once, whether it is paused or not. Throws a `WebhookTestFailed` for an unknown webhook, for one
 * without a secret, and if there is no answer.
 */
export async function testWebhook(test: Test, { database, secret, outbound, clock }: Parts): Promise<TestedWebhook> {
  const [row] = await database.search(selectReceiver, [test.organizationId, test.id])
  if (row === undefined) throw new WebhookTestFailed(`no such webhook: ${test.id}`)
  const at = clock.now()
  const receiver = receiverOf(row, test, secret, at)
  if (receiver.secrets.length === 0) throw new WebhookTestFailed('the webhook has no secret: rotate it first')
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date(at).toISOString(), data: {} })
  const signed = signedHeaders({ id: `test_${newId()}`, body, at }, receiver.secrets)
  const headers = { ...receiver.headers, ...signed, 'content-type': 'application/json' }
  const answer = await outbound.call({ method: 'POST', url: receiver.url, headers, body, timeoutSeconds })
  if (answer instanceof OutboundFailure)
    throw new WebhookTestFailed(`${answer.reason}: ${withoutSecrets(answer.message, receiver)}`)
  const { text, isCut } = shownAnswer(answer.body, receiver)
  return {
    status: answer.status,
    milliseconds: answer.milliseconds,
    answer: text,
    isCut: answer.isCut || isCut,
  }
}
