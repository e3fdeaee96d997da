/** What the statement of a summary answers; a type, not an interface, because rows have an index signature. */
export type Figures = {
  /** Counts of contacts and companies that were created; numbers of PostgreSQL, which come as texts. */
  readonly contacts: string
  readonly companies: string
  readonly tasks: { readonly created: number; readonly done: number; readonly overdue: number }
  /** All deals, by where they stand at the end of the period. */
  readonly standing: readonly Standing[]
  /** How many deals entered each stage. */
  readonly entered: readonly { readonly stage: string; readonly deals: number }[]
  /** How many stays ended in each stage, and how long they were together. */
  readonly left: readonly { readonly stage: string; readonly stays: number; readonly seconds: number }[]
  /** Won deals by how long they took, in tenths of days. */
  readonly wins: readonly { readonly tenths: number; readonly deals: number; readonly seconds: number }[]
  readonly largest: { readonly id: string; readonly amount: string } | null
  /** Deals that were closed in the period before. */
  readonly previous: readonly { readonly status: string; readonly deals: number }[]
}

/** Deals, how many of them have an amount, and the exact sum of those. */
export interface Priced {
  readonly currency: string | null
  readonly deals: number
  readonly priced: number
  readonly amount: string | null
}

/** Deals that stand in a stage, and how many of them were created in the period. */
export interface Standing extends Priced {
  readonly stage: string
  readonly created: number
  /** What became of them, whose they are and why they were lost, if they were closed in the period; otherwise null. */
  readonly status: string | null
  readonly owner: string | null
  readonly reason: string | null
}
