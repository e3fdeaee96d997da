import type { Field } from '../field.ts'
import { uuidSchema } from '../uuid.ts'

interface ReferenceOptions {
  /** The kind of the record that the field refers to. */
  readonly kind: string
  /** Response member with the id, e.g. `dealId`. */
  readonly idMember: string
  /** Column with the id. */
  readonly column: string
  readonly description: string
}

interface RequiredReferenceOptions extends ReferenceOptions {
  /** The table of that record, which can be anonymized. Answers say whether it is. */
  readonly personsIn: string
}

/**
 * A reference to one record of another kind that can be anonymized. Requests give a reference object, answers the id.
 */
export function requiredReference(options: RequiredReferenceOptions): Field<string> {
  const { kind, idMember, column, personsIn, description } = options
  const anonymized = { table: personsIn, member: `${idMember}Anonymized` }
  return {
    column: 'uuid',
    columnName: column,
    refersTo: kind,
    anonymized,
    input: { $ref: 'Reference' },
    output: {
      [idMember]: { ...uuidSchema, description },
      anonymized: { type: 'boolean', description: 'Whether the person was anonymized.' },
    },
    requiredOnCreate: true,
    initial: '',
    present: (id, record) => ({ [idMember]: id, anonymized: record[anonymized.member] === true }),
  }
}

/** A reference to one record of another kind, or null. Requests give a reference object, answers the id. */
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
