import { joinRefusals, notFound, Refusal, refuse, unprocessable, versionConflict } from '../../errors/index.ts'
import { idsOf, isAnonymized, type Resource, type WriteContext } from '../../record/index.ts'
import type { Issue, Reference } from '../../schema/index.ts'
import type { Row } from '../../sql/index.ts'
import { type Step, stepTo } from '../../write/decide.ts'
import { firstRefusal, refuseDoubled } from '../../write/references.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import type { NamedTags } from './tag-statements.ts'

/** All tags for one record, and its expected version. */
export interface TagReplacement {
  readonly id: string
  readonly expectedVersion: unknown
  readonly references: readonly Reference[]
}

/** The step of a replacement, and the rows of the resulting tags, ordered by name. */
export interface ReplacedTags {
  readonly step: Step
  readonly tags: readonly Row[]
}

/** Gates 10 to 15 of a replacement. */
export function decideTags(
  resource: Resource,
  { id, expectedVersion, references }: TagReplacement,
  { locked, loaded }: NamedTags,
  work: WorkingSet,
  write: WriteContext,
): ReplacedTags | Refusal {
  const before = work.record(resource.kind, id)
  if (before === null) return notFound()
  for (const tag of work.read(locked)) work.loadReferred('tag', String(tag.id), false)
  const ids = resolveTags(references, work)
  if (ids instanceof Refusal && ids.status === 404) return ids
  if (isAnonymized(resource, before)) return refuse('resource_deleted')
  if (ids instanceof Refusal) return ids
  if (before.version !== expectedVersion) return versionConflict(before.version)

  const tags = work.read(loaded).filter(tag => ids.includes(String(tag.id)))
  const refusal = joinRefusals(refuseDoubled(new Map([['tags', ids]]), ''), refuseMisplaced(ids, tags, resource.kind))
  if (refusal !== null) return refusal
  // Tags are a set: their order in the request has no meaning, so they are stored in ascending order.
  const { tags: field = '' } = resource.roles
  const same = isSameSet(idsOf(before[field]), ids)
  const step = stepTo(resource, before, same ? before : { ...before, [field]: ids.toSorted() }, write)
  return { step, tags }
}

/** Ids of the tags in the order of the request; a tag that does not exist (404) takes precedence over one that is gone (410). */
function resolveTags(references: readonly Reference[], work: WorkingSet): readonly string[] | Refusal {
  const found = references.map((reference, index) => work.resolve('tag', reference, `/tags/${index}`))
  return firstRefusal(found.filter(id => id instanceof Refusal)) ?? found.filter(id => typeof id === 'string')
}

/** 422 for tags that are not for this kind of records. */
function refuseMisplaced(ids: readonly string[], tags: readonly Row[], kind: string): Refusal | null {
  const issues = ids.flatMap((id, index): Issue[] => {
    const kinds = tags.find(tag => tag.id === id)?.kinds
    if (Array.isArray(kinds) && kinds.includes(kind)) return []
    return [{ path: `/tags/${index}`, rule: 'kind', message: `The tag is not for a ${kind}: see directories.tags` }]
  })
  return issues.length === 0 ? null : unprocessable(issues)
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(id => other.includes(id))
}
