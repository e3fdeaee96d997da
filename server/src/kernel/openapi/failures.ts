import { type ApiErrorCode, errorCatalogue } from '../errors/index.ts'
import type { Operation, OwnRefusal } from '../operation.ts'

/** The codes that an operation can refuse a request with, by status, both in order. It never answers with other statuses. */
export function failuresOf(operation: Operation): ReadonlyMap<number, readonly ApiErrorCode[]> {
  const failures = new Map<number, ApiErrorCode[]>()
  for (const [status, code] of [...byGates(operation), ...operation.refuses.map(asFailure)].sort(byStatus)) {
    const codes = failures.get(status) ?? []
    if (!codes.includes(code)) failures.set(status, [...codes, code])
  }
  return failures
}

type Failure = readonly [status: number, code: ApiErrorCode]

/** The refusals of the gates before execution, and the failures that any request can have (contract section 1). */
function byGates(operation: Operation): Failure[] {
  const { path, query, body, idempotent, conventions, scopes, scopesOf, valueScopes } = operation
  const isPaged = 'cursor' in query || 'after' in query
  const needsScopes = scopes.length > 0 || scopesOf !== undefined || valueScopes !== undefined
  const codes: (ApiErrorCode | false)[] = [
    'invalid_token',
    needsScopes && 'insufficient_scope',
    conventions.needsBuiltInCrm && 'crm_provider_not_supported',
    'rate_limit_exceeded',
    'rate_limiter_unavailable',
    body !== null && 'payload_too_large',
    'validation_error',
    isPaged && 'invalid_cursor',
    path.includes('{') && !conventions.refusesMalformedIds && 'not_found',
    idempotent && 'idempotency_conflict',
    idempotent && 'idempotency_in_progress',
    'internal_error',
    'service_unavailable',
  ]
  return codes.filter(code => code !== false).map(code => [errorCatalogue[code].statuses[0], code])
}

/** The status and the code of a refusal. */
export function asFailure([code]: OwnRefusal): Failure {
  return code === 'unprocessable' ? [422, 'validation_error'] : [errorCatalogue[code].statuses[0], code]
}

function byStatus([one]: Failure, [other]: Failure): number {
  return one - other
}
