import { type Module, queueUpkeep } from '../kernel/index.ts'
import { removeExpired } from './remove-expired.ts'

/** What is kept for a time: stored answers, change events, audit entries, jobs that have failed. */
export const retention: Module = {
  operations: [],
  upkeep: [removeExpired, queueUpkeep],
}
