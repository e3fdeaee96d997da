/** A selected row, by column. column-values.ts says which form the values have. */
export type Row = Record<string, unknown>
