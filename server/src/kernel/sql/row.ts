/** A selected row, by column. column-values.ts defines the form of the values. */
export type Row = Record<string, unknown>
