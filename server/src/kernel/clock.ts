/** The clock, which tests can set. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The time in the format of answers. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}

export const systemClock: Clock = { now: Date.now }
