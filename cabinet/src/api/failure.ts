/** A value that the server did not take: where it stands in the body, as a JSON Pointer, and what is wrong with it. */
export interface Issue {
  readonly path: string
  readonly message: string
  readonly rule?: string
}

/** The server refused a request, or could not be asked (`code` is then `unreachable`, `status` 0). */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  /** What people tell the operator. */
  readonly requestId: string | null

  constructor(code: string, status: number, message: string, details: Failure['details'], requestId: string | null) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
  }

  /** What is wrong with the values of the body. */
  get issues(): readonly Issue[] {
    const { issues } = this.details
    return Array.isArray(issues) ? issues.filter(isIssue) : []
  }

  /** The moment from which on another attempt is worth it. */
  get retryAt(): Date | null {
    const { retryAt } = this.details
    return typeof retryAt === 'string' && !Number.isNaN(Date.parse(retryAt)) ? new Date(retryAt) : null
  }
}

/** The issue of one field of a form, by its pointer: `/firstName`. */
export function issueAt(failure: unknown, pointer: string): string | undefined {
  return failure instanceof Failure ? failure.issues.find(({ path }) => path === pointer)?.message : undefined
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value
}
