import { setTimeout as sleep } from 'node:timers/promises'
import type { Hold } from '../../server/src/kernel/index.ts'

/** Milliseconds that each group of writes waits, so that all tests can be run with groups that are large. */
export const heldMilliseconds = Number(process.env['TEST_HELD_LANES'] ?? 0)

/** What a group waits for that is held so long; null where none is. */
export function holdFor(milliseconds: number): Hold | null {
  return milliseconds === 0 ? null : () => sleep(milliseconds)
}
