import {
  creating,
  isTagFor,
  type Kinds,
  type NamedTags,
  type RecordState,
  type Resource,
  type Step,
  updating,
  type WriteContext,
  withAddedTags,
} from '../../../kernel/index.ts'
import { type Issue, isObject, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import { type PlacedRequest, type PlacedValue, placeValues } from './place-values.ts'
import type { RowError } from './row-error.ts'
import {
  cellsAt,
  errorsOfIssues,
  errorsOfRefusal,
  failed,
  issuesIn,
  mayLeaveOut,
  type RowOutcome,
} from './row-outcome.ts'
import { type RowPlan, tagIdsOf } from './row-plan.ts'

export interface RecordRules {
  readonly resource: Resource
  readonly policy: DedupPolicy
  readonly country: string
  readonly kinds: Kinds
  readonly tags: NamedTags
}

/** The step of the record of a row, and the cells that it does not contain. */
export interface RecordStep {
  readonly step: Step
  readonly leftOut: readonly RowError[]
}

/**
 * Decides the record of a row: a new one, or the one with this id, by the rules for a request. Values that these rules refuse are left out
 * if the row may be applied without them; otherwise the row has failed.
 */
export function decideRecord(
  plan: RowPlan,
  id: string | null,
  rules: RecordRules,
  work: WorkingSet,
  write: WriteContext,
): RecordStep | RowOutcome {
  const record = id === null ? null : work.record(rules.resource.kind, id)
  const leftOut = [...plan.leftOut]
  let placed = plan.placed
  // Each round leaves out at least one value of the row.
  for (;;) {
    const isWhole = record === null && placed === plan.placed
    const request = isWhole ? plan.request : requestWith(placed, record, rules)
    const attempt = decideWith(request, record, rules, work, write)
    if ('step' in attempt) {
      const tagged = withTags(plan, attempt.step, rules, work, write)
      if (!('step' in tagged)) return failed(tagged, leftOut)
      const cells = [...leftOut, ...tagged.leftOut]
      return mayLeaveOut(cells) ? { step: tagged.step, leftOut: cells } : failed([], cells)
    }
    const { refused, pointers } = attempt
    const cells = cellsAt(refused, plan, pointers)
    if (cells.length === 0) {
      const { refusal } = attempt
      const errors =
        refusal === null ? errorsOfIssues(refused, plan, pointers) : errorsOfRefusal(refusal, plan, pointers)
      return failed(errors, leftOut)
    }
    leftOut.push(...cells)
    placed = placed.filter(({ key }) => !cells.some(({ field }) => field === key))
  }
}

type Attempt =
  | { readonly step: Step }
  | {
      readonly refused: readonly Issue[]
      readonly refusal: Refusal | null
      readonly pointers: ReadonlyMap<string, string>
    }

function requestWith(
  placed: readonly PlacedValue[],
  record: RecordState | null,
  { policy, country }: RecordRules,
): PlacedRequest {
  return placeValues(record ?? {}, placed, record === null ? 'overwrite' : policy.onConflict, country)
}

/** The step of a record by this request, or why it is refused. */
function decideWith(
  { input, pointers }: PlacedRequest,
  record: RecordState | null,
  { resource, kinds }: RecordRules,
  work: WorkingSet,
  write: WriteContext,
): Attempt {
  const { create, patch } = resource.input
  const given = record === null ? input : { ...input, expectedVersion: record.version }
  const { value, issues } = (record === null ? create : patch).parse(given)
  if (issues.length > 0) return { refused: issues, refusal: null, pointers }
  const body = isObject(value) ? value : {}
  const change = record === null ? creating(resource, body, kinds) : updating(resource, record.id, body, kinds)
  const step = change.decide('', work, write)
  return step instanceof Refusal ? { refused: issuesIn(step), refusal: step, pointers } : { step }
}

/** The step with the tags of the row. Tags that are gone or for other kinds of records are left out if the row may be applied so. */
function withTags(
  plan: RowPlan,
  step: Step,
  { resource, tags }: RecordRules,
  work: WorkingSet,
  write: WriteContext,
): RecordStep | readonly RowError[] {
  const named = tagIdsOf(plan)
  const known = work.read(tags.loaded)
  const unusable = plan.fail({ code: 'invalid_option', message: 'There is no such option' }, 'tags')
  const leavesOut = plan.leavesOut(unusable)
  const ids = leavesOut ? named.filter(id => isTagFor(id, resource, known)) : named
  const isListed = ids.length === named.length || plan.leftOut.some(({ field }) => field === 'tags')
  const tagged = withAddedTags(resource, step, ids, '/tags', known, write)
  if (tagged instanceof Refusal) return errorsOfRefusal(tagged, plan, new Map([['/tags', 'tags']]))
  return { step: tagged, leftOut: isListed ? [] : [unusable] }
}
