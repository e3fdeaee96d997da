import {
  type Kinds,
  type NamedTags,
  namedTags,
  type Resource,
  type Step,
  type WriteContext,
} from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { StartOptions } from '../start-options.ts'
import { candidatesOf, type LookingRows, lookupsOf } from './candidates.ts'
import { CompanyNames, companiesNamedIn } from './company-names.ts'
import { type CompanyRows, decideCompany, needCompanies } from './company-of-row.ts'
import { decideRecord } from './decide-record.ts'
import { findRecord, indexOf } from './find-record.ts'
import type { MatchIndex } from './match-index.ts'
import { failed, type RowOutcome, type RowRules, withoutCells } from './row-outcome.ts'
import { type RowPlan, tagIdsOf, textValue } from './row-plan.ts'

export interface RecordRows extends LookingRows {
  readonly kinds: Kinds
  readonly options: StartOptions
}

/** The rows and their candidates. */
interface LookingRecords extends RecordRows, CompanyRows {
  readonly tags: NamedTags
}

/** The records that rows may find, with those that earlier rows have made. */
interface Found {
  readonly records: MatchIndex
  readonly companies: CompanyNames
}

/** Rows that each describe one record: a new one, or a change of the one that the row matches. */
export function recordRowRules(rows: RecordRows): RowRules {
  const plans = rows.plans.filter(({ errors }) => errors.length === 0)
  const lookups = lookupsOf({ ...rows, plans })
  const candidates = candidatesOf(rows, lookups)
  const tagIds = [...new Set(plans.flatMap(tagIdsOf))]
  const references = tagIds.map(id => ({ id }))
  const looking = { ...rows, tags: namedTags(null, references), companies: companiesNamedIn(plans, rows) }
  return {
    needs(needs, work, configuration) {
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
      if (resource.kind === 'contact') needCompanies(needs, plans, work, configuration, looking)
    },
    *decideInSteps(work, write, most) {
      const found = { records: indexOf(rows, work), companies: new CompanyNames(looking.companies, work) }
      const outcomes: RowOutcome[] = []
      for (const plan of rows.plans.slice(0, Math.min(most, candidates(work).count))) {
        const isRefused = plan.errors.length > 0
        outcomes.push(isRefused ? failed(plan.errors, plan.leftOut) : decideRow(plan, looking, found, work, write))
        yield
      }
      return outcomes
    },
  }
}

function decideRow(
  plan: RowPlan,
  rows: LookingRecords,
  found: Found,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { id, by, error } = findRecord(plan, rows, found.records, work)
  const outcome = error === null ? decideFound(plan, id, rows, found, work, write) : failed([error], plan.leftOut)
  return { cells: [id, by], ...outcome }
}

/** The outcome of a row that describes the record with this id, or a new one. */
function decideFound(
  plan: RowPlan,
  id: string | null,
  rows: LookingRecords,
  found: Found,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { resource, policy } = rows
  if (id !== null && policy.strategy === 'skip_existing') return { result: 'skipped' }
  if (id !== null && policy.strategy === 'create_only')
    return failed([plan.fail({ code: 'already_exists', message: 'There is such a record already' })], plan.leftOut)
  if (id === null && policy.strategy === 'update_only') {
    if (!plan.values.has('uuid')) return { result: 'skipped' }
    const error = plan.fail({ code: 'reference_not_found', message: 'There is no such record' }, 'uuid')
    return failed([error], plan.leftOut)
  }
  const decided = decideRecord(plan, id, rows, work, write)
  if (!('step' in decided)) return decided
  const { step, leftOut } = decided
  if (!plan.values.has('companyName') && !plan.values.has('companyExternalId')) {
    keep(step, resource, found.records, work)
    return withoutCells(outcomeOf(step), leftOut)
  }
  // A row is applied as a whole or not at all, so both of its parts are decided before one is kept. The link may refer to the new record.
  if (step.status === 201) work.loadReferred(resource.kind, step.record.id, false)
  const company = decideCompany(plan, step.record, rows, found.companies, work, write)
  if ('errors' in company) return failed(company.errors, leftOut)
  keep(step, resource, found.records, work)
  if ('leftOut' in company) return withoutCells(outcomeOf(step), [...leftOut, company.leftOut])
  const isChanged = company.keep()
  const outcome: RowOutcome = step.status === 200 && isChanged ? { result: 'updated' } : outcomeOf(step)
  return withoutCells({ ...outcome, createsCompany: company.isNew }, leftOut)
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
