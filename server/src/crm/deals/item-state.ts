import type { RecordHead } from '../../kernel/index.ts'

/** The values from which the sums of an item are computed. */
export interface ItemLine {
  readonly quantity: string
  readonly price: string
  readonly discountType: 'percent' | 'amount'
  readonly discount: string
  readonly taxMode: 'none' | 'exclusive' | 'inclusive'
  readonly taxRate: string
}

/** The computed sums, with the digits of the deal's currency. */
export interface ItemSums {
  readonly subtotal: string
  readonly discountAmount: string
  readonly taxAmount: string
  readonly total: string
}

/** A deal item in memory, as its rules see it. */
export interface ItemState extends RecordHead, ItemLine, ItemSums {}
