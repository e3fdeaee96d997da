import {
  creating,
  type Kinds,
  mostFound,
  needAddedTags,
  needFound,
  type RecordState,
  type Resource,
  type Step,
  updating,
  type WriteContext,
  withAddedTags,
} from '../../../kernel/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import { candidatesOf, soughtBy } from './candidates.ts'
import { decideCompany, needCompanies } from './company-of-row.ts'
import { MatchIndex } from './match-index.ts'
import { placeValues } from './place-values.ts'
import { type RowPlan, tagIdsOf, textValue } from './plan-row.ts'
import { errorsOfIssues, errorsOfRefusal, failed, type RowOutcome } from './row-outcome.ts'
import type { RowRules } from './row-rules.ts'

export interface RecordRows {
  readonly resource: Resource
  readonly plans: readonly RowPlan[]
  readonly policy: DedupPolicy
  readonly country: string
  readonly kinds: Kinds
  /** The application whose keys rows bring. */
  readonly applicationId: string | null
}

/** Rows of which each is a record: a new one, or a change of the one that it is found to be. */
export function recordRows(rows: RecordRows): RowRules {
  const plans = rows.plans.filter(({ errors }) => errors.length === 0)
  const candidates = candidatesOf(rows)
  return {
    needs(needs, work) {
      const { resource } = rows
      for (const plan of plans) {
        const id = textValue(plan, 'uuid')
        if (id !== null) needs.toChange(resource, { id })
        const externalId = textValue(plan, 'externalId')
        if (externalId === null) continue
        needs.toChange(resource, { externalId })
        needs.toCreate(resource.kind, externalId)
      }
      needs.toLoad(needAddedTags(plans.flatMap(tagIdsOf)))
      for (const [by, sought] of soughtBy({ ...rows, plans })) needs.toLoad(needFound(resource, by, sought))
      for (const id of candidates(work).ids) needs.toChange(resource, { id })
      if (resource.kind === 'contact') needCompanies(needs, plans, work, rows)
    },
    *decideInSteps(work, write, most) {
      const index = indexOf(rows, work)
      const outcomes: RowOutcome[] = []
      for (const plan of rows.plans.slice(0, Math.min(most, candidates(work).count))) {
        outcomes.push(plan.errors.length > 0 ? failed(plan.errors) : decideRow(plan, rows, index, work, write))
        yield
      }
      return outcomes
    },
  }
}

function indexOf({ resource, policy, country }: RecordRows, work: WorkingSet): MatchIndex {
  const isThere = (record: RecordState | null) => (record?.anonymizedAt ?? null) === null
  const index = new MatchIndex(policy.matchBy, country, id => {
    const record = work.record(resource.kind, id)
    return isThere(record) ? record : null
  })
  for (const record of work.siblings(resource.kind)) index.add(record)
  return index
}

function decideRow(
  plan: RowPlan,
  rows: RecordRows,
  index: MatchIndex,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { resource, policy } = rows
  const found = findRecord(plan, rows, index, work)
  if (typeof found === 'object' && found !== null) return failed([found])
  if (found !== null && policy.strategy === 'skip_existing') return { result: 'skipped' }
  if (found !== null && policy.strategy === 'create_only')
    return failed([plan.fail({ code: 'already_exists', message: 'There is such a record already' })])
  if (found === null && policy.strategy === 'update_only') {
    if (!plan.values.has('uuid')) return { result: 'skipped' }
    return failed([plan.fail({ code: 'reference_not_found', message: 'There is no such record' }, 'uuid')])
  }
  const step = decideStep(plan, found, rows, work, write)
  if (!('record' in step)) return step
  if (!plan.values.has('companyName') && !plan.values.has('companyExternalId')) {
    keep(step, resource, index, work)
    return { result: resultOf(step) }
  }
  // A row is applied whole or not at all, so both of its parts are decided before one is kept. A link may lead to the record already.
  if (step.status === 201) work.loadReferred(resource.kind, step.record.id, false)
  const linked = decideCompany(plan, step.record, rows, work, write)
  if ('result' in linked) return linked
  keep(step, resource, index, work)
  if (linked.effect !== null) work.apply(linked.effect)
  return { result: step.status === 200 && linked.effect !== null ? 'updated' : resultOf(step) }
}

/**
 * The id of the record that a row is about; null for a new one. The first value by which one is found decides. A row that brings a key is
 * not about a record with another one, unless it names that record by its id.
 */
function findRecord(plan: RowPlan, { resource, policy }: RecordRows, index: MatchIndex, work: WorkingSet) {
  const key = textValue(plan, 'externalId')
  const mapping = key === null ? null : work.key(resource.kind, key)
  if (mapping?.state === 'gone') {
    const code = mapping.reason === 'anonymized' ? 'resource_deleted' : 'external_reference_deleted'
    return plan.fail({ code, message: 'The record of this key was removed' }, 'externalId')
  }
  for (const by of policy.matchBy) {
    const keyed = mapping === null ? [] : [mapping.resourceId]
    const found = by === 'externalId' ? keyed : index.find(matchesBy(plan, by))
    const ids = key === null || by === 'uuid' ? found : found.filter(id => mayHaveKey(id, key, resource, work))
    if (ids.length > 1) {
      const count = ids.length < mostFound ? ids.length : `${mostFound} or more`
      return plan.fail({ code: 'ambiguous_match', message: `${count} records have this ${by}` }, fieldOf(by))
    }
    if (ids[0] !== undefined) return ids[0]
  }
  const uuid = textValue(plan, 'uuid')
  if (uuid !== null && (work.record(resource.kind, uuid.toLowerCase())?.anonymizedAt ?? null) !== null)
    return plan.fail({ code: 'resource_deleted', message: 'The person of this record was removed' }, 'uuid')
  return null
}

/** Whether a record has this key, or none, of the application that imports. */
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

/** The step of the record, with the tags of the row; or why it is refused. */
function decideStep(
  plan: RowPlan,
  id: string | null,
  { resource, policy, country, kinds }: RecordRows,
  work: WorkingSet,
  write: WriteContext,
): Step | RowOutcome {
  const record = id === null ? null : work.record(resource.kind, id)
  const onConflict = record === null ? 'overwrite' : policy.onConflict
  const { input, pointers } = placeValues(record ?? {}, plan.placed, onConflict, country)
  const { create, patch } = resource.input
  const given = record === null ? input : { ...input, expectedVersion: record.version }
  const { value, issues } = (record === null ? create : patch).parse(given)
  if (issues.length > 0) return failed(errorsOfIssues(issues, plan, pointers))
  const body = toObject(value)
  const change = record === null ? creating(resource, body, kinds) : updating(resource, record.id, body, kinds)
  const step = change.decide('', work, write)
  const tagged = step instanceof Refusal ? step : withAddedTags(resource, step, tagIdsOf(plan), '/tags', work, write)
  return tagged instanceof Refusal
    ? failed(errorsOfRefusal(tagged, plan, new Map([...pointers, ['/tags', 'tags']])))
    : tagged
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Applies a step, so that the rows behind it see and find the record as it is then. */
function keep({ effect }: Step, resource: Resource, index: MatchIndex, work: WorkingSet): void {
  if (effect === null) return
  work.apply(effect)
  if (effect.after !== null && effect.resource === resource) index.add(effect.after)
}

function resultOf({ status, effect }: Step): 'created' | 'updated' | 'unchanged' {
  if (status === 201) return 'created'
  return effect === null ? 'unchanged' : 'updated'
}
