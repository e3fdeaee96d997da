import type { Mutation, WriteContext } from '../../../kernel/index.ts'
import type { Issue, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { RowPlan } from './plan-row.ts'
import { codeOfIssue, type RowError } from './row-error.ts'

/** The outcome of a row, and its entry in the file of rows. */
export type RowOutcome = RowResult & { readonly cells?: RowCells }

type RowResult =
  | { readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' }
  | { readonly result: 'failed'; readonly errors: readonly RowError[] }

/** The id of the record of a row and the key that found it, or the ids of both sides of its link; null for values that do not exist. */
export type RowCells = readonly [string | null, string | null]

/** The rules for the rows of a chunk: what to lock and load for them, and how to decide each one. */
export interface RowRules {
  /** As `Mutation.needs`. */
  readonly needs: Mutation<unknown>['needs']
  /** Pure: decides the first `most` rows in order, and applies the steps of those that are not refused. Each row is one step. */
  decideInSteps(work: WorkingSet, write: WriteContext, most: number): Generator<unknown, readonly RowOutcome[]>
}

/** The most errors reported for one row. */
const mostErrors = 20

export function failed(errors: readonly RowError[]): RowOutcome {
  return { result: 'failed', errors: errors.slice(0, mostErrors) }
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
  const issues = Array.isArray(details.issues) ? details.issues.filter(isIssue) : []
  if (issues.length > 0) return errorsOfIssues(issues, plan, pointers)
  return [plan.fail({ code: 'invalid_format', message }, key)]
}

/** The field at a JSON pointer, or at the nearest one above it, or at one below it. */
function keyAt(path: string, pointers: ReadonlyMap<string, string>): string | null {
  const custom = /^\/customFields\/([^/]+)$/u.exec(path)?.[1]
  if (custom !== undefined) return `custom.${custom}`
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const key = pointers.get(at) ?? [...pointers].find(([pointer]) => pointer.startsWith(`${at}/`))?.[1]
    if (key !== undefined) return key
  }
  // A missing value has no pointer; its field has the name of the member.
  const member = /^\/(\w+)$/u.exec(path)?.[1]
  return member ?? null
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'rule' in value && 'message' in value
}
