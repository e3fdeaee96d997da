/** The description of an error code. */
export interface CatalogueEntry {
  readonly statuses: readonly number[]
  /** The message of a failure without one of its own. */
  readonly message: string
  /** What the code means, in a sentence. */
  readonly meaning: string
  /** Whether the client may send the same request again. */
  readonly again: boolean
  /** When to retry, or what to do instead: the text after "yes," or "no:". */
  readonly next: string
}

/**
 * Every error code of the API with its HTTP statuses and its default message; and, for the OpenAPI document, what it means and what to do.
 * Specification, "Errors"; contract section 14 for the codes that the specification leaves open.
 */
export const errorCatalogue = {
  validation_error: {
    statuses: [400, 422],
    message: 'The request is not valid',
    meaning:
      'The request is malformed (400), or it is well-formed and breaks a rule of what is stored or configured (422).',
    again: false,
    next: 'correct what `details.issues` names',
  },
  invalid_cursor: {
    statuses: [400],
    message: 'The cursor is not valid for this request: start again without it',
    meaning: 'The cursor was altered, or comes from another organization, route or set of filters.',
    again: false,
    next: 'start again without the cursor',
  },
  invalid_token: {
    statuses: [401],
    message: 'A valid API token is required: Authorization: Bearer <token>',
    meaning:
      'There is no token, or it is unknown, expired, revoked, of a disabled application, or not allowed from this address.',
    again: false,
    next: 'use a valid token',
  },
  insufficient_scope: {
    statuses: [403],
    message: 'The token lacks a scope that this request needs',
    meaning: 'The token lacks a scope that the operation or a value in the body needs.',
    again: false,
    next: 'use a token that has `details.missingScopes`',
  },
  not_found: {
    statuses: [404],
    message: 'Not found',
    meaning:
      'There is no such route or record, or the body names a record that does not exist. A record of another organization looks like one that does not exist.',
    again: false,
    next: 'correct the path, or the place that `details.path` names',
  },
  version_conflict: {
    statuses: [409],
    message: 'The version is not the expected one: read the current state and try again',
    meaning: 'The record no longer has the version in `expectedVersion`: somebody has changed it.',
    again: false,
    next: 'read the record, and send the change with its version',
  },
  idempotency_conflict: {
    statuses: [409],
    message: 'This Idempotency-Key was used for another request: choose a new key',
    meaning: 'Another request succeeded with this `Idempotency-Key`.',
    again: false,
    next: 'choose a new key',
  },
  idempotency_in_progress: {
    statuses: [409],
    message: 'The first request with this Idempotency-Key is still running: try again later',
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    again: true,
    next: 'with the same key, after `Retry-After`',
  },
  crm_provider_not_supported: {
    statuses: [409],
    message: 'The organization uses an external CRM provider, which this API does not support',
    meaning: 'The organization keeps its CRM data with an external provider, which this API does not support.',
    again: false,
    next: 'ask the operator of the server',
  },
  external_id_conflict: {
    statuses: [409],
    message: 'The externalId belongs to another record',
    meaning: 'The `externalId` belongs to another record, or both records of a merge have one.',
    again: false,
    next: 'choose another `externalId`, or change the record that has it',
  },
  already_exists: {
    statuses: [409],
    message: 'There is a record with this id or name already',
    meaning: 'Another record has the id or the name already.',
    again: false,
    next: 'choose another one, or change the record in `details.existingId`',
  },
  resource_in_use: {
    statuses: [409],
    message: 'Others use it: with confirmed=true it is removed, and from them',
    meaning: 'Other records use the record, and the request does not confirm its removal.',
    again: false,
    next: 'add `confirmed=true`, which also removes it from them',
  },
  cursor_expired: {
    statuses: [410],
    message: 'The feed no longer has this position: a full synchronisation is needed',
    meaning: 'The change feed no longer has the position of the cursor.',
    again: false,
    next: 'synchronize anew, as `details.resync` says',
  },
  external_reference_deleted: {
    statuses: [410],
    message: 'The record of this externalId was removed: use a new externalId',
    meaning: 'The record that had the `externalId` was removed.',
    again: false,
    next: 'use a new `externalId`',
  },
  resource_deleted: {
    statuses: [410],
    message: 'The contact was anonymized',
    meaning: 'The contact was anonymized, or the stored answer told of a person who was erased since.',
    again: false,
    next: 'the person does not come back',
  },
  payload_too_large: {
    statuses: [413],
    message: 'The request body is too large',
    meaning: 'The body, or a file in it, is longer than `details.limitBytes`.',
    again: false,
    next: 'send less at a time',
  },
  precondition_required: {
    statuses: [428],
    message:
      'A record with this externalId exists: send its version as expectedVersion, or overwrite=true in the query to change it at any version',
    meaning: 'An upsert names a record that exists, and lacks both `expectedVersion` and `overwrite=true`.',
    again: false,
    next: 'send `details.currentVersion` as `expectedVersion`, or `overwrite=true` in the query',
  },
  rate_limit_exceeded: {
    statuses: [429],
    message: 'Too many requests: wait for the time given in Retry-After',
    meaning:
      'The application has used up its requests of this minute, or too many requests from this address failed to authenticate.',
    again: true,
    next: 'after `Retry-After`',
  },
  internal_error: {
    statuses: [500],
    message: 'Internal error',
    meaning: 'The server failed, and nobody knows whether a write was executed.',
    again: true,
    next: 'with the same `Idempotency-Key`, so that a write is executed once',
  },
  rate_limiter_unavailable: {
    statuses: [503],
    message: 'The rate limit cannot be checked now; the request was not executed',
    meaning: 'The rate limit cannot be checked now. Nothing was executed.',
    again: true,
    next: 'after `Retry-After`',
  },
  service_unavailable: {
    statuses: [503],
    message: 'The service is busy or cannot reach its database; the request was not executed: try again',
    meaning: 'The server is busy, has no room for a file, or cannot reach its database. Nothing was executed.',
    again: true,
    next: 'after `Retry-After`',
  },
} as const satisfies Record<string, CatalogueEntry>

/**
 * The codes of the cabinet's own routes. They are in no public document: the cabinet comes with the server, and its routes are promised to
 * nobody else.
 */
export const cabinetErrorCatalogue = {
  not_signed_in: {
    statuses: [401],
    message: 'Sign in first',
    meaning: 'There is no session, or it has ended.',
    again: false,
    next: 'sign in',
  },
  sign_in_refused: {
    statuses: [401],
    message: 'The e-mail address, the password or the code is wrong',
    meaning: 'The e-mail address, the password or the code is wrong, or the account is not active.',
    again: false,
    next: 'correct them, or ask the operator of the server for a link that resets the password',
  },
  second_factor_required: {
    statuses: [401],
    message: 'Enter the code that your second factor shows',
    meaning: 'The password is right, and the account has a second factor, whose code was not sent.',
    again: false,
    next: 'send `code`',
  },
  second_factor_missing: {
    statuses: [403],
    message: 'This organization demands a second factor, and your account has none',
    meaning: 'The organization demands a second factor of its members, and the account has none.',
    again: false,
    next: 'set one up for the account',
  },
  too_many_attempts: {
    statuses: [429],
    message: 'Too many attempts: try again later',
    meaning: 'Too many attempts to sign in to this account have failed.',
    again: true,
    next: 'after `Retry-After`',
  },
  wrong_origin: {
    statuses: [403],
    message: 'Only the pages of this server may send this request',
    meaning: 'The request comes from a page of another origin, or lacks a header that the pages of this server send.',
    again: false,
    next: 'send it from the pages of this server',
  },
  wrong_host: {
    statuses: [421],
    message: 'The pages of this server are not at this address: use that of PUBLIC_BASE_URL',
    meaning: 'The `Host` is neither a loopback name nor that of `PUBLIC_BASE_URL`.',
    again: false,
    next: 'use the address in `PUBLIC_BASE_URL`',
  },
  fresh_sign_in_required: {
    statuses: [403],
    message: 'Enter your password once more',
    meaning: 'The request needs a password that was entered less than ten minutes ago.',
    again: false,
    next: 'send the password to `/cabinet/api/session/fresh`',
  },
  sign_in_not_possible: {
    statuses: [403],
    message: 'Signing in needs https, or a browser on the machine of the server',
    meaning: 'The request came over http from another machine, where others could read the password.',
    again: false,
    next: 'use https, as the documentation of PUBLIC_BASE_URL and TRUSTED_PROXIES says',
  },
  link_not_valid: {
    statuses: [410],
    message: 'This link was used, has expired, or a newer one has replaced it',
    meaning: 'The link was used, has expired, or a newer one has replaced it.',
    again: false,
    next: 'ask for another one; `details.who` says whom',
  },
} as const satisfies Record<string, CatalogueEntry>

/** A code of the public API. */
export type ApiErrorCode = keyof typeof errorCatalogue

/** A code that any part of the server can answer with. */
export type ErrorCode = ApiErrorCode | keyof typeof cabinetErrorCatalogue
