import type { Caller } from '../../auth/index.ts'
import { idsOf, type RecordState, type Resource } from '../../record/index.ts'
import { mayRead, type Projected, projectRecord } from '../../redact/index.ts'
import { isObject, type JsonObject } from '../../schema/index.ts'
import type { Effect } from '../../write/working-set.ts'
import type { MergePlan, Pair } from './merge-plan.ts'

/** The answer of a merge in addition to the primary: the secondary's key, and how many references were moved. */
export function mergedAnswer(
  { primary, secondary }: Pair,
  { keys, links, children, moved }: MergePlan,
  { resource, after }: Effect,
): JsonObject {
  const { tags: field = '' } = resource.roles
  const tagsOf = (record: RecordState | null) => idsOf(record?.[field]).length
  return {
    secondaryId: secondary.id,
    movedExternalId: keys.conflict ? null : secondary.externalId,
    tombstonedExternalId: keys.conflict ? secondary.externalId : null,
    moved: {
      ...Object.fromEntries([...links].map(([name, ids]) => [name, ids.length])),
      ...Object.fromEntries([...children, ...moved].map(({ name, primary: own, merged }) => [name, merged - own])),
      tags: tagsOf(after) - tagsOf(primary),
    },
  }
}

/** The primary as the caller may see it. Only a caller that may read tags sees how many tags were added. */
export function projectMerged(resource: Resource, data: unknown, caller: Caller): Projected {
  if (!isObject(data)) return { data, redacted: [] }
  const primary = projectRecord(resource, data.primary, caller)
  const { secondaryId, movedExternalId, tombstonedExternalId, moved } = data
  const told = { secondaryId, movedExternalId, tombstonedExternalId, moved: countsFor(resource, moved, caller) }
  return { data: { primary: primary.data, ...told }, redacted: primary.redacted }
}

function countsFor({ scopes }: Resource, moved: unknown, caller: Caller): unknown {
  if (!isObject(moved) || (caller.scopes.has(scopes.read) && mayRead('tags', caller.scopes))) return moved
  const { tags: _, ...others } = moved
  return others
}
