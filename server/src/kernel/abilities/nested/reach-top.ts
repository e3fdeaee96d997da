import type { NestedStep, RecordState, Resource, WriteContext } from '../../record/index.ts'
import { raised } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import type { Effect } from '../../write/working-set.ts'
import { ancestry } from './ancestry.ts'

/**
 * Makes one version step of the record at the top for any number of changes below it. The version of a record in between rises only if the
 * changes are visible in it (contract section 6.8). `ancestors` come from the top down.
 */
export function reachTop(
  nested: Resource,
  steps: readonly NestedStep[],
  ancestors: readonly RecordState[],
  write: WriteContext,
): Effect {
  const all = [...steps]
  const above = ancestry(nested).flatMap(({ resource }, index) => {
    const record = ancestors[index]
    return record === undefined ? [] : [{ resource, record }]
  })
  const [top, ...between] = above
  if (top === undefined) throw new Error(`${nested.kind} has no parent`)
  for (const { resource, record } of between.reverse()) {
    const next = resource.rules.reflect?.(record, all, write) ?? record
    if (isChanged(resource, record, next)) all.push({ resource, before: record, after: raised(record, next, write) })
  }
  const { resource, record } = top
  const next = resource.rules.reflect?.(record, all, write) ?? record
  return { resource, before: record, after: raised(record, next, write), nested: all }
}
