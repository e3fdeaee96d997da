import { setTimeout as sleep } from 'node:timers/promises'
import type { Hold } from '../../server/src/kernel/index.ts'

/** The delay of each group commit in milliseconds, with which all tests can be run on large groups. */
export const heldMilliseconds = Number(process.env['TEST_HELD_LANES'] ?? 0)

/** The promise that a delayed group awaits; null without a delay. */
export function holdFor(milliseconds: number): Hold | null {
  return milliseconds === 0 ? null : () => sleep(milliseconds)
}
