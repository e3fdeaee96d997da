/** A selected row, by column. `valueParsers` defines the form of the values. */
export type Row = Record<string, unknown>
