/**
 * Every error code the API can answer with, its HTTP statuses and its default message.
 * Specification, "Errors"; contract section 14 for the codes that the specification leaves open.
 */
export const errorCatalogue = {
  validation_error: { statuses: [400, 422], message: 'The request is not valid' },
  invalid_cursor: { statuses: [400], message: 'The cursor is not valid for this request: start again without it' },
  invalid_token: { statuses: [401], message: 'A valid API token is required: Authorization: Bearer <token>' },
  insufficient_scope: { statuses: [403], message: 'The token lacks a scope that this request needs' },
  not_found: { statuses: [404], message: 'Not found' },
  version_conflict: {
    statuses: [409],
    message: 'The version is not the expected one: read the current state and try again',
  },
  idempotency_conflict: {
    statuses: [409],
    message: 'This Idempotency-Key was used for another request: choose a new key',
  },
  idempotency_in_progress: {
    statuses: [409],
    message: 'The first request with this Idempotency-Key is still running: try again later',
  },
  crm_provider_not_supported: {
    statuses: [409],
    message: 'The organization uses an external CRM provider, which this API does not support',
  },
  external_id_conflict: { statuses: [409], message: 'The externalId belongs to another record' },
  already_exists: { statuses: [409], message: 'There is a record with this id or name already' },
  resource_in_use: {
    statuses: [409],
    message: 'Others use it: with confirmed=true it is removed, and from them',
  },
  cursor_expired: {
    statuses: [410],
    message: 'The feed no longer has this position: a full synchronisation is needed',
  },
  external_reference_deleted: {
    statuses: [410],
    message: 'The record of this externalId was removed: use a new externalId',
  },
  resource_deleted: { statuses: [410], message: 'The contact was anonymized' },
  payload_too_large: { statuses: [413], message: 'The request body is too large' },
  precondition_required: {
    statuses: [428],
    message: 'A record with this externalId exists: send its version as expectedVersion',
  },
  rate_limit_exceeded: { statuses: [429], message: 'Too many requests: wait for the time given in Retry-After' },
  internal_error: { statuses: [500], message: 'Internal error' },
  rate_limiter_unavailable: {
    statuses: [503],
    message: 'The rate limit cannot be checked now; the request was not executed',
  },
  service_unavailable: {
    statuses: [503],
    message: 'The service is busy or cannot reach its database; the request was not executed: try again',
  },
} as const satisfies Record<string, { statuses: readonly number[]; message: string }>

export type ErrorCode = keyof typeof errorCatalogue
