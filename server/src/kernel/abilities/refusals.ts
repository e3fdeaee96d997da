import type { OwnRefusal } from '../operation.ts'
import type { Kinds } from '../record/define-nested.ts'
import type { Resource } from '../record/resource.ts'

/** What abilities refuse, by what they do; the document lists it (contract section 1, gates 10 to 15). */

/** Of a record that a request names by its id. */
export function refusalsOfPath({ personal }: Resource): OwnRefusal[] {
  return personal ? ['not_found', 'resource_deleted'] : ['not_found']
}

/** Of a record that a request names by a key of the application. */
export function refusalsOfKey({ personal, surface }: Resource): OwnRefusal[] {
  if (!surface.synchronizes) return []
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
  return [...refusalsOfReferences(resource), ...(hasRefusingRules(resource) ? (['unprocessable'] as const) : [])]
}

/** Outside of the CRM nothing that a body refers to is gone: it is there, or it is unknown. */
function refusalsOfReferences({ references, surface }: Resource): readonly OwnRefusal[] {
  if (references.length === 0) return []
  return surface.synchronizes ? refusalsOfReference : ['not_found']
}

/** Of a key or name that another record has. */
export function refusalsOfTaken({ surface, uniqueField }: Resource): OwnRefusal[] {
  if (surface.synchronizes) return ['external_id_conflict']
  return uniqueField === null ? [] : ['already_exists']
}

/** Of a kind of which an organization has a limited number. */
export function refusalsOfRoom({ most }: Resource): OwnRefusal[] {
  return most === null ? [] : ['unprocessable']
}

function hasRefusingRules({ fields, rules, references, surface }: Resource): boolean {
  const { settle, invariant, refusesNothing = false } = rules
  const refuses = !refusesNothing && (settle !== undefined || invariant !== undefined)
  // Two references by id and by key can lead to one record; two equal ids are seen in the request.
  const canDouble = surface.synchronizes && references.length > 0
  return refuses || canDouble || Object.values(fields).some(({ accept }) => accept !== undefined)
}

/** Of a removal, which records that refer to the removed one can forbid. */
export function refusalsOfRemoval(resource: Resource, { resources, nestedResources }: Kinds): OwnRefusal[] {
  const isReferredTo = [...resources, ...nestedResources].some(({ references }) =>
    references.some(({ kind }) => kind === resource.kind),
  )
  return isReferredTo ? ['version_conflict', 'unprocessable'] : ['version_conflict']
}
