import { type ErrorCode, errorCatalogue } from './catalogue.ts'

/** One thing that is wrong with a request; `path` is a JSON pointer, or `query:x`, `header:X`, `path:x`. */
export interface Issue {
  readonly path: string
  readonly rule: string
  readonly message: string
}

/** What an integrator is told instead of a result. A value in the core; the edge puts it into the error envelope. */
export class Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, code: ErrorCode, details: Record<string, unknown> = {}, message?: string) {
    this.status = status
    this.code = code
    this.details = details
    this.message = message ?? errorCatalogue[code].message
  }
}

/** Refuses with the first (or only) status that the catalogue gives the code. */
export function refuse(code: ErrorCode, details?: Record<string, unknown>, message?: string): Refusal {
  return new Refusal(errorCatalogue[code].statuses[0], code, details, message)
}

const mostIssues = 50

/** 400: wrong whatever is stored. At most 50 issues are reported. */
export function malformed(issues: readonly Issue[]): Refusal {
  return new Refusal(400, 'validation_error', { issues: issues.slice(0, mostIssues) }, messageOf(issues))
}

/** 422: wrong because of what is stored or configured. */
export function unprocessable(issues: readonly Issue[], details: Record<string, unknown> = {}): Refusal {
  return new Refusal(422, 'validation_error', { issues: issues.slice(0, mostIssues), ...details }, messageOf(issues))
}

/** 422 with one issue. */
export function violates(path: string, rule: string, message: string, details?: Record<string, unknown>): Refusal {
  return unprocessable([{ path, rule, message }], details)
}

/** 404 for a record, or for a reference inside a body when `path` names its place. */
export function notFound(path?: string, details: Record<string, unknown> = {}): Refusal {
  return refuse('not_found', path === undefined ? details : { path, ...details })
}

/** 409 of a compare-and-set; null means that there is no such record any more or yet. */
export function versionConflict(currentVersion: number | null, details: Record<string, unknown> = {}): Refusal {
  return refuse('version_conflict', { currentVersion, ...details })
}

/** 410 of a stored answer, or of an element of one, that told of a person who was erased since. */
export function personErased(): Refusal {
  const message =
    'The stored answer told of a person who was erased since. The request was executed: read the current state instead'
  return refuse('resource_deleted', { reason: 'person_erased' }, message)
}

function messageOf(issues: readonly Issue[]): string | undefined {
  const first = issues[0]
  if (issues.length !== 1 || first === undefined) return undefined
  return first.path === '' ? first.message : `${first.path}: ${first.message}`
}
