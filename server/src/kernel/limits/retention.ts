import { limits } from './limits.ts'

/** How long the server keeps what it keeps for a time (contract sections 3 and 11), in seconds. */
export interface Retention {
  /** Stored answers; a later repetition may be executed anew. */
  readonly answers: number
  /** Change events, and the keys of removed records in them. */
  readonly changes: number
  readonly auditEntries: number
  /** Bulk jobs, from their end. */
  readonly bulkJobs: number
}

const daySeconds = 86_400

/** Unless the environment says otherwise. */
export const retentionDefaults: Retention = {
  answers: limits.idempotencyRetentionSeconds,
  changes: limits.changeRetentionSeconds,
  auditEntries: 365 * daySeconds,
  bulkJobs: 90 * daySeconds,
}
