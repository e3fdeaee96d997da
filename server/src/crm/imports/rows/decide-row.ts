import {
  creating,
  type Kinds,
  type NamedTags,
  namedTags,
  type Resource,
  type Step,
  updating,
  type WriteContext,
  withAddedTags,
} from '../../../kernel/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { candidatesOf, type LookingRows, lookupsOf } from './candidates.ts'
import { type CompanyRows, companiesOf, decideCompany, needCompanies } from './company-of-row.ts'
import { findRecord, indexOf } from './find-record.ts'
import type { MatchIndex } from './match-index.ts'
import { placeValues } from './place-values.ts'
import { type RowPlan, tagIdsOf, textValue } from './plan-row.ts'
import { errorsOfIssues, errorsOfRefusal, failed, type RowOutcome, type RowRules } from './row-outcome.ts'

export interface RecordRows extends LookingRows {
  readonly kinds: Kinds
}

/** The rows and their candidates. */
interface LookingRecords extends RecordRows, CompanyRows {
  readonly tags: NamedTags
}

/** Rows that each describe one record: a new one, or a change of the one that the row matches. */
export function recordRowRules(rows: RecordRows): RowRules {
  const plans = rows.plans.filter(({ errors }) => errors.length === 0)
  const lookups = lookupsOf({ ...rows, plans })
  const candidates = candidatesOf(rows, lookups)
  const tagIds = [...new Set(plans.flatMap(tagIdsOf))]
  const references = tagIds.map(id => ({ id }))
  const looking = { ...rows, tags: namedTags(null, references), companies: companiesOf(plans, rows) }
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
      if (tagIds.length > 0) needs.toLoad(looking.tags.locked, looking.tags.loaded)
      needs.toLoad(...lookups)
      for (const id of candidates(work).ids) needs.toChange(resource, { id })
      if (resource.kind === 'contact') needCompanies(needs, plans, work, looking)
    },
    *decideInSteps(work, write, most) {
      const index = indexOf(rows, work)
      const outcomes: RowOutcome[] = []
      for (const plan of rows.plans.slice(0, Math.min(most, candidates(work).count))) {
        outcomes.push(plan.errors.length > 0 ? failed(plan.errors) : decideRow(plan, looking, index, work, write))
        yield
      }
      return outcomes
    },
  }
}

function decideRow(
  plan: RowPlan,
  rows: LookingRecords,
  index: MatchIndex,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { id, by, error } = findRecord(plan, rows, index, work)
  const outcome = error === null ? decideFound(plan, id, rows, index, work, write) : failed([error])
  return { cells: [id, by], ...outcome }
}

/** The outcome of a row that describes the record with this id, or a new one. */
function decideFound(
  plan: RowPlan,
  found: string | null,
  rows: LookingRecords,
  index: MatchIndex,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { resource, policy } = rows
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
    return outcomeOf(step)
  }
  // A row is applied as a whole or not at all, so both of its parts are decided before one is kept. The link may refer to the new record.
  if (step.status === 201) work.loadReferred(resource.kind, step.record.id, false)
  const linked = decideCompany(plan, step.record, rows, work, write)
  if ('result' in linked) return linked
  keep(step, resource, index, work)
  if (linked.effect !== null) work.apply(linked.effect)
  return step.status === 200 && linked.effect !== null ? { result: 'updated' } : outcomeOf(step)
}

/** The step of the record with the tags of the row, or why it is refused. */
function decideStep(
  plan: RowPlan,
  id: string | null,
  { resource, policy, country, kinds, tags }: LookingRecords,
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
  const tagged =
    step instanceof Refusal
      ? step
      : withAddedTags(resource, step, tagIdsOf(plan), '/tags', work.read(tags.loaded), write)
  return tagged instanceof Refusal
    ? failed(errorsOfRefusal(tagged, plan, new Map([...pointers, ['/tags', 'tags']])))
    : tagged
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Applies a step, so that later rows see and find the changed record. */
function keep({ effect }: Step, resource: Resource, index: MatchIndex, work: WorkingSet): void {
  if (effect === null) return
  work.apply(effect)
  if (effect.after !== null && effect.resource === resource) index.add(effect.after)
}

function outcomeOf({ status, effect, record }: Step): RowOutcome {
  if (status === 201) return { result: 'created', cells: [record.id, null] }
  return { result: effect === null ? 'unchanged' : 'updated' }
}
