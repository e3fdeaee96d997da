import { capabilities } from './features/capabilities/index.ts'
import { changeFeedOperations } from './features/change-feed/index.ts'
import type { Operation } from './kernel/index.ts'
import { resourceOperations, resources } from './resources/registry.ts'

/** Every operation of the API: what resources declare, and what features add. */
export const operations: readonly Operation[] = [
  ...resourceOperations,
  ...changeFeedOperations(resources),
  capabilities,
]
