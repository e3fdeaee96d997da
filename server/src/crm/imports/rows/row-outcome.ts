import type { Mutation, WriteContext } from '../../../kernel/index.ts'
import type { Issue, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { RowPlan } from './plan-row.ts'
import { codeOfIssue, type RowError } from './row-error.ts'

/** What became of a row, and what the file of rows tells of it. */
export type RowOutcome = RowResult & { readonly cells?: RowCells }

type RowResult =
  | { readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' }
  | { readonly result: 'failed'; readonly errors: readonly RowError[] }

/** The id of the record of a row and by what it was found, or the ids of both sides of its link; null for what there is not. */
export type RowCells = readonly [string | null, string | null]

/** How the rows of a chunk are decided: what has to be locked and loaded for them, and what becomes of each. */
export interface RowRules {
  /** As `Mutation.needs`. */
  readonly needs: Mutation<unknown>['needs']
  /**
   * Pure: decides the first rows, `most` of them, in their order, and applies the steps of those that are not refused. A row
   * is a step.
   */
  decideInSteps(work: WorkingSet, write: WriteContext, most: number): Generator<unknown, readonly RowOutcome[]>
}

/** The most errors that one row has. */
const mostErrors = 20

export function failed(errors: readonly RowError[]): RowOutcome {
  return { result: 'failed', errors: errors.slice(0, mostErrors) }
}

/** The errors of a row for issues with the request that was made of it. `pointers` say which field stands where. */
export function errorsOfIssues(
  issues: readonly Issue[],
  plan: RowPlan,
  pointers: ReadonlyMap<string, string>,
): readonly RowError[] {
  return issues.flatMap(issue => {
    const key = keyAt(issue.path, pointers)
    // The write path reports a wrong value of a required custom field twice: as wrong, and as missing. Here it is only wrong.
    if (issue.rule === 'required' && key !== null && plan.values.has(key)) return []
    return [plan.fail({ code: codeOfIssue(issue), message: issue.message }, key)]
  })
}

/** The errors of a row for a refusal of the write path. */
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

/** The field at a JSON pointer, at the nearest one above it, or at one below it. */
function keyAt(path: string, pointers: ReadonlyMap<string, string>): string | null {
  const custom = /^\/customFields\/([^/]+)$/u.exec(path)?.[1]
  if (custom !== undefined) return `custom.${custom}`
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const key = pointers.get(at) ?? [...pointers].find(([pointer]) => pointer.startsWith(`${at}/`))?.[1]
    if (key !== undefined) return key
  }
  // A value that is missing stands nowhere; its field is named like its member.
  const member = /^\/(\w+)$/u.exec(path)?.[1]
  return member ?? null
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'rule' in value && 'message' in value
}
