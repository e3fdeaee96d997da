import type { Module, Services } from '../kernel/index.ts'
import { webhookBounds } from './bounds.ts'
import { latestDeliveries } from './delivery-log.ts'
import { readDeliveryState } from './delivery-state.ts'
import { eraseFromAnswers } from './erase-from-answers.ts'
import { eventsToReplay } from './replay-range.ts'
import { readReplays } from './replay-state.ts'
import { missingFilterScopes, readSubscriptions } from './subscription.ts'
import { testWebhook, WebhookTestFailed } from './test-webhook.ts'
import { removeOldDeliveries } from './upkeep.ts'

export { Delivery } from './delivery.ts'
export { webhookMessages } from './messages.ts'

/** Delivers events to the receivers that applications name: see contract section 11.2. */
export const webhooks: Module = {
  operations: [],
  erasePerson: eraseFromAnswers,
  bounds: webhookBounds,
  upkeep: [removeOldDeliveries],
}

/** What the administration of webhooks reads and does besides their settings. */
export const webhookDeliveries = {
  stateOf: readDeliveryState,
  replaysOf: readReplays,
  latest: latestDeliveries,
  eventsToReplay,
  test: testWebhook,
  isTestFailure: (error: unknown) => error instanceof WebhookTestFailed,
  /** The scopes that the filters of a webhook need and that it has not: it is held until then. */
  async missingScopes(organizationId: string, id: string, services: Services): Promise<string[]> {
    const [subscription] = await readSubscriptions(organizationId, [id], services)
    return subscription === undefined ? [] : missingFilterScopes(subscription, services.clock.now())
  },
}
