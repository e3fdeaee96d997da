import { type Issue, type Refusal, unprocessable } from '../../errors/index.ts'
import { idsOf, type Resource, type WriteContext } from '../../record/index.ts'
import type { Row } from '../../sql/index.ts'
import { type Step, stepTo } from '../../write/decide.ts'

/**
 * Adds these tags to those of the record within the given step, so the version rises once. `known` are the rows of `namedTags`. 422 at
 * `path` for a tag that is gone or not for this kind of records.
 */
export function withAddedTags(
  resource: Resource,
  step: Step,
  ids: readonly string[],
  path: string,
  known: readonly Row[],
  write: WriteContext,
): Step | Refusal {
  const { tags: field } = resource.roles
  if (field === undefined || ids.length === 0) return step
  const message = `The tag is not for a ${resource.kind}: see directories.tags`
  const issues = ids.filter(id => !isTagFor(id, resource, known)).map((): Issue => ({ path, rule: 'kind', message }))
  if (issues.length > 0) return unprocessable(issues)
  const { record, effect } = step
  const next = { ...record, [field]: [...new Set([...idsOf(record[field]), ...ids])].sort() }
  if (effect === null) return stepTo(resource, record, next, write)
  return { ...step, record: next, effect: { ...effect, after: next } }
}

/** Whether a tag exists and is for records of this kind. `known` are the rows of `namedTags`. */
export function isTagFor(id: string, { kind }: Pick<Resource, 'kind'>, known: readonly Row[]): boolean {
  const kinds = known.find(tag => tag.id === id)?.kinds
  return Array.isArray(kinds) && kinds.includes(kind)
}
