import type { Field } from '../field.ts'
import { uuidSchema } from '../uuid.ts'

interface ReferenceOptions {
  /** Kind of the record that is referred to. */
  readonly kind: string
  /** Response member that holds its id, e.g. `dealId`. */
  readonly idMember: string
  /** Column that holds its id. */
  readonly column: string
  readonly description: string
}

interface RequiredReferenceOptions extends ReferenceOptions {
  /** Table of the record that is referred to, where it can be anonymized: answers say whether it is. */
  readonly personsIn: string
}

/** One record of another kind, that can be anonymized. Requests give a reference object, answers the id. */
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
