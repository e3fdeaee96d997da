import { mostFound, type RecordState, type Resource } from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { MatchKey } from '../dedup-policy.ts'
import type { LookingRows } from './candidates.ts'
import { MatchIndex } from './match-index.ts'
import type { RowError } from './row-error.ts'
import { type RowPlan, textValue } from './row-plan.ts'

/** The record of a row: its id, or null for a new one, and the key that found it; or the reason why the match is not unique. */
interface FoundByRow {
  readonly id: string | null
  readonly by: MatchKey | null
  readonly error: RowError | null
}

/** The loaded records, by the values with which rows find them. */
export function indexOf({ resource, policy, country }: LookingRows, work: WorkingSet): MatchIndex {
  const isThere = (record: RecordState | null) => (record?.anonymizedAt ?? null) === null
  const index = new MatchIndex(policy.matchBy, country, id => {
    const record = work.record(resource.kind, id)
    return isThere(record) ? record : null
  })
  for (const record of work.siblings(resource.kind)) index.add(record)
  return index
}

/**
 * Finds the record of a row. The first value that finds one decides. A row with a key does not match a record with another key, unless it
 * names that record by its id.
 */
export function findRecord(
  plan: RowPlan,
  { resource, policy }: LookingRows,
  index: MatchIndex,
  work: WorkingSet,
): FoundByRow {
  const key = textValue(plan, 'externalId')
  const mapping = key === null ? null : work.key(resource.kind, key)
  if (mapping?.state === 'gone') {
    const code = mapping.reason === 'anonymized' ? 'resource_deleted' : 'external_reference_deleted'
    return { ...none, error: plan.fail({ code, message: 'The record of this key was removed' }, 'externalId') }
  }
  for (const by of policy.matchBy) {
    const keyed = mapping === null ? [] : [mapping.resourceId]
    const found = by === 'externalId' ? keyed : index.find(matchesBy(plan, by))
    const ids = key === null || by === 'uuid' ? found : found.filter(id => mayHaveKey(id, key, resource, work))
    if (ids.length > 1) {
      const count = ids.length < mostFound ? ids.length : `${mostFound} or more`
      const message = `${count} records have this ${by}`
      return { id: null, by, error: plan.fail({ code: 'ambiguous_match', message }, fieldOf(by)) }
    }
    if (ids[0] !== undefined) return { id: ids[0], by, error: null }
  }
  const uuid = textValue(plan, 'uuid')
  if (uuid !== null && (work.record(resource.kind, uuid.toLowerCase())?.anonymizedAt ?? null) !== null)
    return {
      ...none,
      error: plan.fail({ code: 'resource_deleted', message: 'The person of this record was removed' }, 'uuid'),
    }
  return none
}

const none = { id: null, by: null, error: null } as const

/** Whether a record has this key of the importing application, or none. */
function mayHaveKey(id: string, key: string, { kind }: Resource, work: WorkingSet): boolean {
  const held = work.record(kind, id)?.externalId ?? null
  return held === null || held === key
}

function matchesBy({ matches }: RowPlan, by: string) {
  return matches.filter(value => value.by === by)
}

function fieldOf(by: string): string {
  if (by === 'email' || by === 'phone') return `${by}1`
  return by
}
