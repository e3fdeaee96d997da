import type { Field, ReferenceTarget } from '../field.ts'
import { byReference } from '../filter.ts'
import { uuidSchema } from '../uuid.ts'
import { anonymizedMember } from './primary-first-links.ts'

interface ReferenceOptions {
  /** The kind of the referenced record. */
  readonly to: ReferenceTarget
  /** Response member that holds its id, e.g. `dealId`. */
  readonly idMember: string
  /** Column with the id. */
  readonly column: string
  readonly description: string
}

/**
 * A reference to one record of another kind that can be anonymized. It makes a nested kind a link: a parent links each record at most once,
 * and all links of a parent are replaced together. Requests contain a reference object, answers the id.
 */
export function uniqueReference({ to, idMember, column, description }: ReferenceOptions): Field<string> {
  const anonymized = anonymizedMember(to, idMember)
  if (anonymized === undefined) throw new Error(`a ${to.kind} cannot be anonymized`)
  return {
    column: 'uuid',
    columnName: column,
    refersTo: to.kind,
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

/** A reference to one record of another kind, or null. Requests contain a reference object, answers the id. */
export function optionalReference({ to, idMember, column, description }: ReferenceOptions): Field<string | null> {
  return {
    column: 'uuid',
    columnName: column,
    refersTo: to.kind,
    input: { anyOf: [{ $ref: 'Reference' }, { type: 'null' }] },
    output: { [idMember]: { type: ['string', 'null'], format: 'uuid' } },
    description,
    filters: { [idMember]: byReference(to.scopes.read, `About this ${to.kind}`) },
    initial: null,
    present: id => ({ [idMember]: id }),
  }
}
