import type { OwnRefusal } from '../operation.ts'
import { type Kinds, type Nested, type Resource, topOf } from '../record/index.ts'
import { nameOfKind } from './ability.ts'

/** What abilities refuse, by what they do; the document lists it (contract section 1, gates 10 to 15). */

/** For a request that names a record by its id. */
export function refusalsOfPath(resource: Resource): OwnRefusal[] {
  const name = nameOfKind(resource)
  const missing: OwnRefusal = ['not_found', `There is no such ${name}.`]
  return resource.personal ? [missing, ['resource_deleted', `The ${name} was anonymized.`]] : [missing]
}

/** For a request that names a part of a record, with the records above it. */
export function refusalsOfPart(nested: Resource): OwnRefusal[] {
  const missing: OwnRefusal = [
    'not_found',
    `There is no such ${nameOfKind(nested)}, or it belongs to another record than the path says.`,
  ]
  return [missing, ...refusalsOfPath(topOf(nested)).filter(([code]) => code === 'resource_deleted')]
}

/** For a request that lists, adds or replaces the parts of a record. */
export function refusalsOfOwner({ parent }: Nested): OwnRefusal[] {
  return refusalsOfPath(parent.resource)
}

/** For a request that names a record by a key of the application. */
export function refusalsOfKey({ personal, conventions, kind }: Resource): OwnRefusal[] {
  if (!conventions.synchronizes) return []
  const removed: OwnRefusal = ['external_reference_deleted', `The ${kind} that had the \`externalId\` was removed.`]
  return personal ? [removed, ['resource_deleted', `The ${kind} was anonymized.`]] : [removed]
}

const missingReference: OwnRefusal = ['not_found', 'The body names a record that does not exist.']

/** For a body that refers to records. */
export const refusalsOfReference: readonly OwnRefusal[] = [
  missingReference,
  ['external_reference_deleted', 'The body names a removed record by its `externalId`.'],
  ['resource_deleted', 'The body names a contact that was anonymized.'],
]

/** For a retry of a request whose stored answer mentioned a person who was erased since. */
export const refusalOfErasure: OwnRefusal = [
  'resource_deleted',
  'The stored answer told of a person who was erased since.',
]

/** For a request with the expected version of a record: a compare-and-set. */
export function refusalOfVersion(resource: Resource): OwnRefusal {
  return ['version_conflict', `The ${nameOfKind(resource)} no longer has the version in \`expectedVersion\`.`]
}

/** For a body with the fields of a resource: its references and its rules. */
export function refusalsOfFields(resource: Resource): OwnRefusal[] {
  return [...refusalsOfReferences(resource), ...refusalsOfRules(resource)]
}

/** Outside of the CRM a referred record is never gone: it either exists or is unknown. */
function refusalsOfReferences({ references, conventions }: Resource): readonly OwnRefusal[] {
  if (references.length === 0) return []
  return conventions.synchronizes ? refusalsOfReference : [missingReference]
}

/** For a record whose key another record may have. */
export function refusalsOfTakenKey(resource: Resource): OwnRefusal[] {
  if (!resource.conventions.synchronizes) return []
  return [['external_id_conflict', `Another ${nameOfKind(resource)} has the \`externalId\`.`]]
}

/** For a kind with a limited number of records in an organization or parent. */
export function refusalsOfRoom({ most }: Resource): OwnRefusal[] {
  return most === null ? [] : [['unprocessable', `There are ${most} already, the most there can be.`]]
}

function refusalsOfRules({ fields, rules, references, conventions }: Resource): OwnRefusal[] {
  const accepting = Object.entries(fields).flatMap(([name, { accept }]) => (accept === undefined ? [] : `\`${name}\``))
  const reasons = [
    accepting.length > 0 && `The organization does not have, or does not allow, the value of ${oneOf(accepting)}.`,
    // A reference by id and one by key can lead to the same record; two equal ids are already detected in the request.
    conventions.synchronizes && references.length > 0 && 'Two references lead to one record.',
    rules.forbids,
  ]
  return reasons.filter(reason => typeof reason === 'string').map((reason): OwnRefusal => ['unprocessable', reason])
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** For a record that cannot be removed because other records refer to it. */
export const refusalOfBlockers: OwnRefusal = [
  'unprocessable',
  'A record that refers to it would become invalid: `details.blockers` names it.',
]

/** For the removal of a record, which referring records can forbid. */
export function refusalsOfRemoval(resource: Resource, { resources, nestedResources }: Kinds): OwnRefusal[] {
  const isReferredTo = [...resources, ...nestedResources].some(({ references }) =>
    references.some(({ kind }) => kind === resource.kind),
  )
  const stale = refusalOfVersion(resource)
  return isReferredTo ? [stale, refusalOfBlockers] : [stale]
}
