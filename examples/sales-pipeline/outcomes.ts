import { formatCount } from './progress.ts'

export type Outcome = 'created' | 'updated' | 'unchanged' | 'moved'

/** How often each outcome occurred. */
export class Outcomes {
  readonly #counts = new Map<Outcome, number>()

  count(outcome: Outcome) {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
  }

  describe(outcomes: readonly Outcome[]): string {
    return outcomes.map(outcome => `${formatCount(this.#counts.get(outcome) ?? 0)} ${outcome}`).join(', ')
  }
}
