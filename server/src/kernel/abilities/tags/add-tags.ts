import { type Issue, type Refusal, unprocessable } from '../../errors/index.ts'
import { idsOf } from '../../record/codec.ts'
import type { ExtraNeed, Resource, WriteContext } from '../../record/resource.ts'
import { type Step, stepTo } from '../../write/decide.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { loadedTags, needTags } from './tag-statements.ts'

/** What a change needs that adds these tags: they are locked, so that none is removed meanwhile. */
export function needAddedTags(ids: readonly string[]): ExtraNeed[] {
  const references = [...new Set(ids)].map(id => ({ id }))
  return references.length === 0 ? [] : needTags(null, references)
}

/**
 * The step with these tags beside those that the record has. Both are one step, so the version rises once. 422 at `path`
 * for a tag that is gone or not for this kind of records.
 */
export function withAddedTags(
  resource: Resource,
  step: Step,
  ids: readonly string[],
  path: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  const { tags: field } = resource.roles
  if (field === undefined || ids.length === 0) return step
  const known = work.extra(loadedTags)
  const isFor = (id: string) => {
    const kinds = known.find(tag => tag.id === id)?.kinds
    return Array.isArray(kinds) && kinds.includes(resource.kind)
  }
  const message = `The tag is not for a ${resource.kind}: see directories.tags`
  const issues = ids.filter(id => !isFor(id)).map((): Issue => ({ path, rule: 'kind', message }))
  if (issues.length > 0) return unprocessable(issues)
  const { record, effect } = step
  const next = { ...record, [field]: [...new Set([...idsOf(record[field]), ...ids])].sort() }
  if (effect === null) return stepTo(resource, record, next, write)
  return { ...step, record: next, effect: { ...effect, after: next } }
}
