import type { Field } from '../field.ts'

/** JSON Schema of a position in a request: a whole number from 0 that fits 32 bits. One beyond the end means the end. */
export const placeInput = { type: 'integer', minimum: 0, maximum: 2_147_483_647 }

const shown = { type: 'integer', minimum: 0 }

/**
 * The place of a record among those of its parent, counted from 0, without gaps (contract section 6.7). It is counted when
 * the record is read; what is kept is a rank, so that no other record changes when one comes, moves or goes.
 */
export function place(description: string): Field<number> {
  return { input: placeInput, output: { '': shown }, description, initial: 0 }
}

/** The same, where only the order of a whole set says it. */
export function placeInSet(description: string): Field<number> {
  return { output: { '': shown }, description, initial: 0 }
}

/** What is kept of a place: ascending by bytes, internal. */
export const placeRank: Field<string> = { column: 'text', output: {}, initial: '', present: () => ({}) }
