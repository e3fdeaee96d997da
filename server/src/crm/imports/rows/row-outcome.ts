import type { Mutation, WriteContext } from '../../../kernel/index.ts'
import type { Issue, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { codeOfIssue, type RowError } from './row-error.ts'
import type { RowPlan } from './row-plan.ts'

/** The outcome of a row, and its entry in the file of rows. */
export interface RowOutcome {
  readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'
  /** Why the row failed, or the cells without which it was applied. */
  readonly errors?: readonly RowError[]
  readonly cells?: RowCells
  /** Set if the row has created the company that it names. */
  readonly createsCompany?: boolean
}

/** The id of the record of a row and the key that found it, or the ids of both sides of its link; null for values that do not exist. */
export type RowCells = readonly [string | null, string | null]

/** The rules for the rows of a chunk: what to lock and load for them, and how to decide each one. */
export interface RowRules {
  /** As `Mutation.needs`. */
  readonly needs: Mutation<unknown>['needs']
  /** Pure: decides the first `most` rows in order, and applies the steps of those that are not refused. Each row is one step. */
  decideInSteps(work: WorkingSet, write: WriteContext, most: number): Generator<unknown, readonly RowOutcome[]>
}

/** The most errors reported for one row. A row is not applied without more cells than these, because each of them is reported. */
const mostErrors = 20

/**
 * A row that is not applied, for these reasons. `leftOut` are the cells without which it was tried: a required value is not missing if its
 * cell is among them.
 */
export function failed(errors: readonly RowError[], leftOut: readonly RowError[] = []): RowOutcome {
  const isKnown = ({ code, field }: RowError) => code === 'required' && leftOut.some(cell => cell.field === field)
  return { result: 'failed', errors: [...leftOut, ...errors.filter(error => !isKnown(error))].slice(0, mostErrors) }
}

/** Whether a row can be applied without these cells. */
export function mayLeaveOut(cells: readonly RowError[]): boolean {
  return cells.length <= mostErrors
}

/** The outcome of a row that was decided without these cells. A row that is passed over lists none. */
export function withoutCells(outcome: RowOutcome, cells: readonly RowError[]): RowOutcome {
  if (cells.length === 0 || outcome.result === 'skipped' || outcome.result === 'failed') return outcome
  return { ...outcome, errors: cells.map(error => ({ ...error, outcome: 'left_out' })) }
}

/** The errors of a row for validation issues of the request built from it. `pointers` map JSON pointers to fields. */
export function errorsOfIssues(
  issues: readonly Issue[],
  plan: RowPlan,
  pointers: ReadonlyMap<string, string>,
): readonly RowError[] {
  return issues.flatMap(issue => {
    const key = keyAt(issue.path, pointers)
    // The write path reports an invalid value of a required custom field twice: as invalid and as missing. Only the first is kept.
    if (issue.rule === 'required' && key !== null && plan.values.has(key)) return []
    return [plan.fail({ code: codeOfIssue(issue), message: issue.message }, key)]
  })
}

/** Rules about a record as a whole, although their issues can be at the path of a value. */
const rulesOfRecord = ['required', 'maxItems', 'max_items']

/**
 * The cells of a row at these issues, if the row is applied without them; none if one of the issues has another reason, such as a limit
 * of the record. A cell has an issue if the issue is at the exact path of its value.
 */
export function cellsAt(
  issues: readonly Issue[],
  plan: RowPlan,
  pointers: ReadonlyMap<string, string>,
): readonly RowError[] {
  const cells = new Map<string, RowError>()
  for (const { path, rule, message } of issues) {
    const key = pointers.get(path) ?? keyOfCustomField(path)
    const error = key === null ? null : plan.fail({ code: codeOfIssue({ path, rule, message }), message }, key)
    const isOfCell = key !== null && plan.values.has(key) && !rulesOfRecord.includes(rule)
    // The write path reports an invalid value of a required custom field twice: as invalid and as missing.
    if (rule === 'required' && key !== null && plan.values.has(key)) continue
    if (error === null || !isOfCell || !plan.leavesOut(error)) return []
    if (!cells.has(key)) cells.set(key, error)
  }
  return [...cells.values()]
}

/** The errors of a row for a refusal by the write path. */
export function errorsOfRefusal(
  { code, message, details }: Refusal,
  plan: RowPlan,
  pointers: ReadonlyMap<string, string>,
): readonly RowError[] {
  const key = typeof details.path === 'string' ? keyAt(details.path, pointers) : null
  if (code === 'not_found') return [plan.fail({ code: 'reference_not_found', message: 'There is no such record' }, key)]
  if (code === 'resource_deleted') return [plan.fail({ code, message }, key)]
  if (code === 'external_reference_deleted') return [plan.fail({ code, message }, key ?? 'externalId')]
  if (code === 'external_id_conflict') return [plan.fail({ code: 'already_exists', message }, 'externalId')]
  const issues = issuesIn({ details })
  if (issues.length > 0) return errorsOfIssues(issues, plan, pointers)
  return [plan.fail({ code: 'invalid_format', message }, key)]
}

/** The issues of a refusal. */
export function issuesIn({ details }: Pick<Refusal, 'details'>): readonly Issue[] {
  return Array.isArray(details.issues) ? details.issues.filter(isIssue) : []
}

/** The field at a JSON pointer, or at the nearest one above it, or at one below it. */
function keyAt(path: string, pointers: ReadonlyMap<string, string>): string | null {
  const custom = keyOfCustomField(path)
  if (custom !== null) return custom
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const key = pointers.get(at) ?? [...pointers].find(([pointer]) => pointer.startsWith(`${at}/`))?.[1]
    if (key !== undefined) return key
  }
  // A missing value has no pointer; its field has the name of the member.
  const member = /^\/(\w+)$/u.exec(path)?.[1]
  return member ?? null
}

function keyOfCustomField(path: string): string | null {
  const key = /^\/customFields\/([^/]+)$/u.exec(path)?.[1]
  return key === undefined ? null : `custom.${key}`
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'rule' in value && 'message' in value
}
