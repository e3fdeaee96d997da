import { Refusal, violates } from '../errors/index.ts'
import type { Nested } from '../record/define-nested.ts'
import type { NestedStep, RecordState, WriteContext } from '../record/resource.ts'
import type { Configuration, JsonObject } from '../schema/index.ts'
import { raised, type Step, underBase } from './decide.ts'
import { isChanged } from './facts.ts'
import { mostAffected, type Needs } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * Needs the nested records that must follow a change of their parent. Above the limit of one request they are not loaded, and
 * `withFollowers` refuses.
 */
export function needFollowers(
  needs: Needs,
  followers: readonly Nested[],
  record: RecordState | null,
  input: JsonObject,
  configuration: Configuration,
): void {
  // If the version differs, the change will be refused.
  if (record === null || record.version !== input.expectedVersion) return
  for (const kind of followers) {
    const count = kind.rules.followed?.(record, input, configuration) ?? 0
    if (count > 0) needs.toFollow(kind, record.id, count)
  }
}

/** The step together with the changes of nested records that follow from it, as one version step; or a refusal (422). */
export function withFollowers(
  step: Step | Refusal,
  followers: readonly Nested[],
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  if (step instanceof Refusal || step.effect === null) return step
  const { resource, before, after } = step.effect
  if (before === null || after === null) return step
  const nested: NestedStep[] = []
  for (const kind of followers) {
    const count = kind.rules.followed?.(before, input, write.configuration) ?? 0
    if (count > 0 && !work.holdsNestedIn(kind, after.id)) return tooMany(base)
    for (const record of work.nestedIn(kind, after.id)) {
      const next = kind.rules.follow?.(record, after, write) ?? record
      if (next instanceof Refusal) return underBase(next, base)
      if (isChanged(kind, record, next))
        nested.push({ resource: kind, before: record, after: raised(record, next, write) })
    }
  }
  if (nested.length === 0) return step
  const record = resource.rules.reflect?.(after, nested, write) ?? after
  return { ...step, record, effect: { ...step.effect, after: record, nested } }
}

function tooMany(base: string): Refusal {
  const message = `One request may change ${mostAffected} records at most, those that belong to others included`
  return violates(base, 'too_many_links', message, { reason: 'too_many_links', limit: mostAffected })
}
