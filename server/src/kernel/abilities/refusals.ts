import type { OwnRefusal } from '../operation.ts'
import type { Kinds } from '../record/define-nested.ts'
import type { Resource } from '../record/resource.ts'

/** What abilities refuse, by what they do; the document lists it (contract section 1, gates 10 to 15). */

/** Of a record that a request names by its id. */
export function refusalsOfPath({ personal }: Resource): OwnRefusal[] {
  return personal ? ['not_found', 'resource_deleted'] : ['not_found']
}

/** Of a record that a request names by a key of the application. */
export function refusalsOfKey({ personal }: Resource): OwnRefusal[] {
  return personal ? ['external_reference_deleted', 'resource_deleted'] : ['external_reference_deleted']
}

/** Of records that a body refers to. */
export const refusalsOfReference: readonly OwnRefusal[] = [
  'not_found',
  'external_reference_deleted',
  'resource_deleted',
]

/** Of a body with the fields of a resource: what it refers to, and its rules. */
export function refusalsOfFields(resource: Resource): OwnRefusal[] {
  return [
    ...(resource.references.length === 0 ? [] : refusalsOfReference),
    ...(hasRefusingRules(resource) ? (['unprocessable'] as const) : []),
  ]
}

function hasRefusingRules({ fields, rules, references }: Resource): boolean {
  const { settle, invariant, refusesNothing = false } = rules
  const refuses = !refusesNothing && (settle !== undefined || invariant !== undefined)
  return refuses || references.length > 0 || Object.values(fields).some(({ accept }) => accept !== undefined)
}

/** Of a removal, which records that refer to the removed one can forbid. */
export function refusalsOfRemoval(resource: Resource, { resources, nestedResources }: Kinds): OwnRefusal[] {
  const isReferredTo = [...resources, ...nestedResources].some(({ references }) =>
    references.some(({ kind }) => kind === resource.kind),
  )
  return isReferredTo ? ['version_conflict', 'unprocessable'] : ['version_conflict']
}
