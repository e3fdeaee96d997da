import type { OwnRefusal } from '../operation.ts'
import type { Kinds, Nested } from '../record/define-nested.ts'
import type { Resource } from '../record/resource.ts'
import { nameOfKind } from './ability.ts'

/** What abilities refuse, by what they do; the document lists it (contract section 1, gates 10 to 15). */

/** Where a request names a record by its id. */
export function refusalsOfPath(resource: Resource): OwnRefusal[] {
  const name = nameOfKind(resource)
  const missing: OwnRefusal = ['not_found', `There is no such ${name}.`]
  return resource.personal ? [missing, ['resource_deleted', `The ${name} was anonymized.`]] : [missing]
}

/** Where a request names a part of a record, with the records above it. */
export function refusalsOfPart(nested: Resource): OwnRefusal[] {
  return [['not_found', `There is no such ${nameOfKind(nested)}, or it belongs to another record than the path says.`]]
}

/** Where a request lists, adds to or replaces the parts of a record. */
export function refusalsOfOwner({ parent }: Nested): OwnRefusal[] {
  return [['not_found', `There is no such ${nameOfKind(parent.resource)}.`]]
}

/** Where a request names a record by a key of the application. */
export function refusalsOfKey({ personal, conventions, kind }: Resource): OwnRefusal[] {
  if (!conventions.synchronizes) return []
  const removed: OwnRefusal = ['external_reference_deleted', `The ${kind} that had the \`externalId\` was removed.`]
  return personal ? [removed, ['resource_deleted', `The ${kind} was anonymized.`]] : [removed]
}

const missingReference: OwnRefusal = ['not_found', 'The body names a record that does not exist.']

/** Where a body refers to records. */
export const refusalsOfReference: readonly OwnRefusal[] = [
  missingReference,
  ['external_reference_deleted', 'The body names a removed record by its `externalId`.'],
  ['resource_deleted', 'The body names a contact that was anonymized.'],
]

/** Where a request is sent again whose stored answer told of a person, after the erasure. */
export const refusalOfErasure: OwnRefusal = [
  'resource_deleted',
  'The stored answer told of a person who was erased since.',
]

/** Where a request names the version that a record must have: a compare-and-set. */
export function refusalOfVersion(resource: Resource): OwnRefusal {
  return ['version_conflict', `The ${nameOfKind(resource)} no longer has the version in \`expectedVersion\`.`]
}

/** Where a body has the fields of a resource: what it refers to, and its rules. */
export function refusalsOfFields(resource: Resource): OwnRefusal[] {
  return [...refusalsOfReferences(resource), ...refusalsOfRules(resource)]
}

/** Outside of the CRM nothing that a body refers to is gone: it is there, or it is unknown. */
function refusalsOfReferences({ references, conventions }: Resource): readonly OwnRefusal[] {
  if (references.length === 0) return []
  return conventions.synchronizes ? refusalsOfReference : [missingReference]
}

/** Where another record can have the key or the name. */
export function refusalsOfTaken(resource: Resource): OwnRefusal[] {
  const { conventions, uniqueField } = resource
  const name = nameOfKind(resource)
  if (conventions.synchronizes) return [['external_id_conflict', `Another ${name} has the \`externalId\`.`]]
  return uniqueField === null ? [] : [['already_exists', `Another ${name} has the \`${uniqueField}\`.`]]
}

/** Where an organization, or the record above, has a limited number of records of the kind. */
export function refusalsOfRoom({ most }: Resource): OwnRefusal[] {
  return most === null ? [] : [['unprocessable', `There are ${most} already, the most there can be.`]]
}

function refusalsOfRules({ fields, rules, references, conventions }: Resource): OwnRefusal[] {
  const accepting = Object.entries(fields).flatMap(([name, { accept }]) => (accept === undefined ? [] : `\`${name}\``))
  const reasons = [
    accepting.length > 0 && `The organization does not have, or does not allow, the value of ${oneOf(accepting)}.`,
    // Two references by id and by key can lead to one record; two equal ids are seen in the request.
    conventions.synchronizes && references.length > 0 && 'Two references lead to one record.',
    rules.forbids,
  ]
  return reasons.filter(reason => typeof reason === 'string').map((reason): OwnRefusal => ['unprocessable', reason])
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Where other records refer to a record and forbid that it goes. */
export const refusalOfBlockers: OwnRefusal = [
  'unprocessable',
  'A record that refers to it would become invalid: `details.blockers` names it.',
]

/** Where a record is removed, which records that refer to it can forbid. */
export function refusalsOfRemoval(resource: Resource, { resources, nestedResources }: Kinds): OwnRefusal[] {
  const isReferredTo = [...resources, ...nestedResources].some(({ references }) =>
    references.some(({ kind }) => kind === resource.kind),
  )
  const stale = refusalOfVersion(resource)
  return isReferredTo ? [stale, refusalOfBlockers] : [stale]
}
