import type { Field } from '../field.ts'

/**
 * JSON Schema of a position in a request: an integer from 0 that fits 32 bits. A position beyond the end means the end.
 */
export const placeInput = { type: 'integer', minimum: 0, maximum: 2_147_483_647 }

const shown = { type: 'integer', minimum: 0 }

/**
 * The position of a record in its parent, counted from 0 without gaps (contract section 6.7). It is computed when the record is read. A
 * rank is stored instead, so that other records stay unchanged when one is added, moved or removed.
 */
export function placeField(description: string): Field<number> {
  return { input: placeInput, output: { '': shown }, description, initial: 0 }
}

/** The same for links, whose positions follow from the order of the whole set. */
export function placeInSet(description: string): Field<number> {
  return { output: { '': shown }, description, initial: 0 }
}

/** The stored rank of a position: internal, in byte order. */
export const placeRank: Field<string> = { column: 'text', output: {}, initial: '', present: () => ({}) }
