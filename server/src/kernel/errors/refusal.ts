import { bounds } from '../limits/bounds.ts'
import { cabinetErrorCatalogue, type ErrorCode, errorCatalogue } from './error-codes.ts'

const everyCode = { ...errorCatalogue, ...cabinetErrorCatalogue }

/** One thing that is wrong with a request; `path` is a JSON pointer, or `query:x`, `header:X`, `path:x`. */
export interface Issue {
  readonly path: string
  readonly rule: string
  readonly message: string
}

/** Why a request was refused. It is a value that functions return; the edge turns it into the error envelope. */
export class Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, code: ErrorCode, details: Record<string, unknown> = {}, message?: string) {
    this.status = status
    this.code = code
    this.details = details
    this.message = message ?? everyCode[code].message
  }
}

/** Refuses with the first (or only) status of the code in the catalogue. */
export function refuse(code: ErrorCode, details?: Record<string, unknown>, message?: string): Refusal {
  return new Refusal(everyCode[code].statuses[0], code, details, message)
}

/** 400: the request is wrong, whatever is stored. Lists at most 100 issues; `count` is the number of all. */
export function malformed(issues: readonly Issue[], count = issues.length): Refusal {
  return new Refusal(400, 'validation_error', listed(issues, count), messageOf(issues, count))
}

/** 422: the request is wrong because of what is stored or configured. */
export function unprocessable(issues: readonly Issue[], details: Record<string, unknown> = {}): Refusal {
  const listedIssues = listed(issues, issues.length)
  return new Refusal(422, 'validation_error', { ...listedIssues, ...details }, messageOf(issues, issues.length))
}

/** 422 with one issue. */
export function violates(path: string, rule: string, message: string, details?: Record<string, unknown>): Refusal {
  return unprocessable([{ path, rule, message }], details)
}

/** Joins the refusals (422) among the parts into one, with all their issues and details; null if there is none. */
export function joinRefusals(...parts: readonly unknown[]): Refusal | null {
  const refusals = parts.filter(part => part instanceof Refusal)
  const [only, ...others] = refusals
  if (only === undefined || others.length === 0) return only ?? null
  const joined: Record<string, unknown> = {}
  for (const { details } of refusals) {
    const { issues, issueCount, ...further } = details
    Object.assign(joined, further)
  }
  return unprocessable(refusals.flatMap(issuesOf), joined)
}

/** The issues that a refusal lists. */
export function issuesOf({ details: { issues } }: Refusal): readonly Issue[] {
  return Array.isArray(issues) ? issues : []
}

/** 404 for a record; with `path`, for a reference at that path of the body. */
export function notFound(path?: string, details: Record<string, unknown> = {}): Refusal {
  return refuse('not_found', path === undefined ? details : { path, ...details })
}

/** 409 of a compare-and-set. null: the record does not exist yet, or no longer. */
export function versionConflict(currentVersion: number | null, details: Record<string, unknown> = {}): Refusal {
  return refuse('version_conflict', { currentVersion, ...details })
}

/** 410 for a stored answer, or an element of one, that contained a person who has since been erased. */
export function personErased(): Refusal {
  const message =
    'The stored answer told of a person who was erased since. The request was executed: read the current state instead'
  return refuse('resource_deleted', { reason: 'person_erased' }, message)
}

/** The first issues, and the number of all. */
function listed(issues: readonly Issue[], count: number): { issues: readonly Issue[]; issueCount: number } {
  return { issues: issues.slice(0, bounds.issues.most).map(quotingLittle), issueCount: count }
}

/** Shortens a very long name or value in quotes, so that the answer is not as large as the request. */
function quotingLittle(issue: Issue): Issue {
  const { path, message } = issue
  const most = bounds.quoted.most
  if (path.length <= most && message.length <= 2 * most) return issue
  return { ...issue, path: cut(path, most), message: cut(message, 2 * most) }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

function messageOf(issues: readonly Issue[], count: number): string | undefined {
  const [first] = issues
  if (count !== 1 || first === undefined) return undefined
  const { path, message } = quotingLittle(first)
  return path === '' ? message : `${path}: ${message}`
}
