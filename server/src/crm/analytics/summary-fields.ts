/** What the statement of a summary answers; a type, not an interface, because rows have an index signature. */
export type Figures = {
  /** Counts of contacts and companies that were created; numbers of PostgreSQL, which come as texts. */
  readonly contacts: string
  readonly companies: string
  readonly tasks: { readonly created: number; readonly done: number; readonly overdue: number }
  /** Deals at the end of the period, by stage and currency, and how many of them were created in the period. */
  readonly standing: readonly (Priced & { readonly stage: string; readonly created: number })[]
  /** How many deals entered each stage. */
  readonly entered: readonly { readonly stage: string; readonly deals: number }[]
  /** How many stays ended in each stage, and how long they were together. */
  readonly left: readonly { readonly stage: string; readonly stays: number; readonly seconds: number }[]
  readonly closed: readonly Closed[]
  /** Won deals by how long they took, in tenths of days. */
  readonly wins: readonly { readonly tenths: number; readonly deals: number; readonly seconds: number }[]
  readonly largest: { readonly id: string; readonly amount: string } | null
  /** Deals that were closed in the period before. */
  readonly previous: readonly { readonly status: string; readonly deals: number }[]
}

/** Deals, and the exact sum of their amounts, null where none has one. */
export interface Priced {
  readonly currency: string | null
  readonly deals: number
  readonly amount: string | null
}

/** Deals that were won or lost in the period, by whom and why, and how many of them have an amount. */
export interface Closed extends Priced {
  readonly status: string
  readonly owner: string | null
  readonly reason: string | null
  readonly priced: number
}
