/** A row of the summary statement; a type, not an interface, because rows have an index signature. */
export type Figures = {
  /** Counts of created contacts and companies. PostgreSQL returns these numbers as strings. */
  readonly contacts: string
  readonly companies: string
  readonly tasks: { readonly created: number; readonly done: number; readonly overdue: number }
  /** Deals at the end of the period, by stage and currency, and how many of them were created in the period. */
  readonly standing: readonly (Priced & { readonly stage: string; readonly created: number })[]
  /** How many deals entered each stage. */
  readonly entered: readonly { readonly stage: string; readonly deals: number }[]
  /** How many stays ended in each stage, and their total length. */
  readonly left: readonly { readonly stage: string; readonly stays: number; readonly seconds: number }[]
  readonly closed: readonly Closed[]
  /** Won deals, grouped by their duration in tenths of days. */
  readonly wins: readonly { readonly tenths: number; readonly deals: number; readonly seconds: number }[]
  readonly largest: { readonly id: string; readonly amount: string } | null
  /** Deals that were closed in the period before. */
  readonly previous: readonly { readonly status: string; readonly deals: number }[]
}

/** A number of deals and the exact sum of their amounts; the sum is null where no deal has an amount. */
export interface Priced {
  readonly currency: string | null
  readonly deals: number
  readonly amount: string | null
}

/** Deals won or lost in the period, by owner and lost reason, and how many of them have an amount. */
export interface Closed extends Priced {
  readonly status: string
  readonly owner: string | null
  readonly reason: string | null
  readonly priced: number
}
