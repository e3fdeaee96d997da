import {
  bounds,
  creating,
  type FoundBy,
  type FoundRecord,
  foundIn,
  type Kinds,
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
import { decideCompany, needCompanies } from './company-of-row.ts'
import { MatchIndex } from './match-index.ts'
import { lookupOf } from './match-values.ts'
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
}

/** Rows of which each is a record: a new one, or a change of the one that it is found to be. */
export function recordRows(rows: RecordRows): RowRules {
  const plans = rows.plans.filter(({ errors }) => errors.length === 0)
  let fitting = rows.plans.length
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
      for (const [by, wanted] of wantedTexts(plans, resource)) needs.toLoad(needFound(resource, by, wanted))
      const { ids, count } = candidates(rows, rows.plans, work)
      fitting = count
      for (const id of ids) needs.toChange(resource, { id })
      if (resource.kind === 'contact') needCompanies(needs, plans, work, rows)
    },
    decide(work, write, most) {
      const index = indexOf(rows, work)
      return rows.plans
        .slice(0, Math.min(most, fitting))
        .map(plan => (plan.errors.length > 0 ? failed(plan.errors) : decideRow(plan, rows, index, work, write)))
    },
  }
}

/** What is looked for, by the way it is looked for. */
function wantedTexts(plans: readonly RowPlan[], { kind }: Resource) {
  const wanted = new Map<FoundBy, string[]>()
  for (const { by, wanted: texts } of plans.flatMap(({ matches }) => matches)) {
    const way = lookupOf(by, kind)
    if (way !== undefined) wanted.set(way, [...(wanted.get(way) ?? []), ...texts])
  }
  return wanted
}

/**
 * The records that were looked for and have a value of one of the first rows, and how many rows those are: as many as are about few
 * records together, one at least. The indexes find more than that.
 */
function candidates({ resource, policy, country }: RecordRows, plans: readonly RowPlan[], work: WorkingSet) {
  const byId = new Map<string, FoundRecord>()
  for (const way of wantedTexts(plans, resource).keys())
    for (const record of foundIn(resource, way, work)) byId.set(record.id, { ...byId.get(record.id), ...record })
  const index = new MatchIndex(policy.matchBy, country, id => byId.get(id) ?? null)
  for (const record of byId.values()) index.add(record)
  const ids = new Set<string>()
  for (const [count, { errors, matches }] of plans.entries()) {
    const more = errors.length > 0 ? [] : index.find(matches).filter(id => !ids.has(id))
    if (count > 0 && ids.size + more.length > bounds.importMatches.most) return { ids, count }
    for (const id of more) ids.add(id)
  }
  return { ids, count: plans.length }
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
  // A row is applied whole or not at all, so its parts are tried before any of them is kept.
  const trial = plan.values.has('companyName') || plan.values.has('companyExternalId') ? work.copy() : work
  const step = decideStep(plan, found, rows, trial, write)
  if (!('record' in step)) return step
  if (trial === work) {
    keep(step, resource, index, work)
    return { result: resultOf(step) }
  }
  if (step.effect !== null) trial.apply(step.effect)
  const linked = decideCompany(plan, step.record, rows, trial, write)
  if ('result' in linked) return linked
  keep(step, resource, index, work)
  if (linked.effect !== null) work.apply(linked.effect)
  return { result: step.status === 200 && linked.effect !== null ? 'updated' : resultOf(step) }
}

/** The id of the record that a row is about; null for a new one. The first value by which one is found decides. */
function findRecord(plan: RowPlan, { resource, policy }: RecordRows, index: MatchIndex, work: WorkingSet) {
  const key = textValue(plan, 'externalId')
  const mapping = key === null ? null : work.key(resource.kind, key)
  if (mapping?.state === 'gone') {
    const code = mapping.reason === 'anonymized' ? 'resource_deleted' : 'external_reference_deleted'
    return plan.fail({ code, message: 'The record of this key was removed' }, 'externalId')
  }
  for (const by of policy.matchBy) {
    const [id, ...others] =
      by === 'externalId' ? (mapping === null ? [] : [mapping.resourceId]) : index.find(matchesBy(plan, by))
    if (others.length > 0)
      return plan.fail(
        { code: 'ambiguous_match', message: `${others.length + 1} records have this ${by}` },
        fieldOf(by),
      )
    if (id !== undefined) return id
  }
  const uuid = textValue(plan, 'uuid')
  if (uuid !== null && (work.record(resource.kind, uuid.toLowerCase())?.anonymizedAt ?? null) !== null)
    return plan.fail({ code: 'resource_deleted', message: 'The person of this record was removed' }, 'uuid')
  return null
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
