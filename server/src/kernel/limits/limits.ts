const mebibyte = 1024 * 1024

/**
 * Every limit of the API (specification, "Limits"; contract sections 12 and 14). The gates read these objects, and
 * `/capabilities` serialises them.
 */
export const limits = {
  listDefault: 50,
  listMax: 100,
  searchDefault: 20,
  searchMax: 50,
  searchQueryMin: 2,
  searchQueryMax: 200,
  productsDefault: 20,
  productsMax: 100,
  batchItems: 100,
  bulkTargets: 10_000,
  bulkErrors: 100,
  importFileBytes: 25 * mebibyte,
  importRows: 100_000,
  attachmentFiles: 10,
  attachmentFileBytes: 10 * mebibyte,
  knowledgeFileBytes: 25 * mebibyte,
  jsonBodyBytes: mebibyte,
  batchBodyBytes: 5 * mebibyte,
  exportLinkSeconds: 86_400,
  requestIdLength: 128,
  externalIdLength: 200,
  contactSearchLength: 200,
  filterValues: 20,
  filteredCustomFields: 10,
  auditResourceTypeLength: 64,
  auditActionLength: 128,
  idempotencyKeyLength: 255,
  idempotencyRetentionSeconds: 86_400,
  changeRetentionSeconds: 2_592_000,
}

export const rateWindowSeconds = 60

/** Requests per minute of a new application. Each application can have its own. */
export const rateDefaults = { read: 600, write: 120 }

/** Failed authentications per minute and address. */
export const failedAuthenticationLimit = 30

/** How long the server keeps data with a retention period (contract sections 3 and 11), in seconds. */
export interface Retention {
  /** Stored answers; after that, a repetition may be executed again. */
  readonly answers: number
  /** Change events, and the keys of removed records in them. */
  readonly changes: number
  readonly auditEntries: number
  /** Bulk jobs, from their end. */
  readonly bulkJobs: number
}

const daySeconds = 86_400

/** The defaults; environment variables override them. */
export const retentionDefaults: Retention = {
  answers: limits.idempotencyRetentionSeconds,
  changes: limits.changeRetentionSeconds,
  auditEntries: 365 * daySeconds,
  bulkJobs: 90 * daySeconds,
}
