import type { Module } from '../kernel/index.ts'
import { webhookBounds } from './bounds.ts'
import { eraseFromAnswers } from './erase-from-answers.ts'
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
