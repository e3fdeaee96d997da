/** A piece of text as it stands in a file. Blocks come in reading order. */
export interface Block {
  readonly text: string
  /** The level of a heading, from 1; absent: no heading. */
  readonly level?: number
  /** The page on which it stands, from 1. */
  readonly page?: number
  /** The row of a table that it is: such a block is a passage of its own. */
  readonly row?: TableRow
}

export interface TableRow {
  /** The name of the sheet; null where a file has no sheets. */
  readonly sheet: string | null
  /** The number that a person sees beside the row. */
  readonly line: number
}

/** Text on one line: spaces of all kinds become one, and what a reader does not see goes. */
export function tidied(text: string): string {
  return text
    .replaceAll(/[\u00AD\u200B-\u200F\u2060\uFEFF\0]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toWellFormed()
}
