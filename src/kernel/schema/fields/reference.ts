import type { Field } from '../field.ts'

interface ReferenceOptions {
  /** Kind of the record that is referred to. */
  readonly kind: string
  /** Response member that holds its id, e.g. `dealId`. */
  readonly idMember: string
  /** Column that holds its id. */
  readonly column: string
  readonly description: string
}

/** One record of another kind, or null. Requests give a reference object, answers the id. */
export function optionalReference({ kind, idMember, column, description }: ReferenceOptions): Field<string | null> {
  return {
    column: 'uuid',
    columnName: column,
    refersTo: kind,
    input: { anyOf: [{ $ref: 'Reference' }, { type: 'null' }] },
    output: { [idMember]: { type: ['string', 'null'], format: 'uuid' } },
    description,
    initial: null,
    present: id => ({ [idMember]: id }),
  }
}
