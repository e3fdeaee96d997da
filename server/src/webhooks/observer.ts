import type { Settlement } from './settlement.ts'

/** A call of a receiver that has ended, and what was stored of it. */
export interface EndedCall {
  /** `refused`: the answer was no success; `unanswered`: there was none. */
  readonly outcome: 'delivered' | 'refused' | 'unanswered'
  readonly seconds: number
  /** How long after the commit of the event the call began; null unless it has delivered a new event. */
  readonly lagSeconds: number | null
}

/** Is told what deliveries do, for the metrics. */
export interface DeliveryObserver {
  onCall(call: EndedCall): void
  /** How many calls are under way from now on. */
  onUnderWay(count: number): void
}

/** The calls of a settlement. An event that was given up because the feed no longer has it was not called for. */
export function callsOf({ delivered, failed }: Pick<Settlement, 'delivered' | 'failed'>): EndedCall[] {
  const called = failed.filter(({ failure }) => failure !== 'expired')
  return [
    ...delivered.map(({ took, lag }) => {
      return { outcome: 'delivered', seconds: took / 1000, lagSeconds: lag === null ? null : lag / 1000 } as const
    }),
    ...called.map(({ status, took }) => {
      return { outcome: status === null ? 'unanswered' : 'refused', seconds: took / 1000, lagSeconds: null } as const
    }),
  ]
}
