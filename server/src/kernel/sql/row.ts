/** A selected row, by column; `database` says in which form values arrive. */
export type Row = Record<string, unknown>
