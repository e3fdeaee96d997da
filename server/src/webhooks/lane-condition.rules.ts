/** How a subscription stands. Times are in milliseconds. */
export interface LaneCondition {
  readonly state: 'active' | 'held' | 'paused'
  readonly reason: string | null
  /** Failed calls since it is held. */
  readonly failures: number
  readonly failingSince: number | null
  /** When the receiver is called again. */
  readonly resumeAt: number | null
}

export const active: LaneCondition = { state: 'active', reason: null, failures: 0, failingSince: null, resumeAt: null }
