import type { AddressClass } from './auth/index.ts'
import type { Reader } from './sql/index.ts'

/**
 * Who a mutation acts for: a request of the API, a job, an import, a command or a page of the cabinet. The write path
 * knows nothing else of where a mutation comes from.
 */
export interface Writer {
  readonly organizationId: string
  readonly author: Author
  /** The application whose external keys and idempotency keys are meant; null: there are none. */
  readonly applicationId: string | null
  /** UUID that joins the answer, the change events and the audit entries: of a request, or of a job's chunk. */
  readonly requestId: string
  /** What the client called the request, where that is something else. */
  readonly clientRequestId: string | null
  /** How a request came in; absent for jobs and commands. */
  readonly origin?: Origin
  /** What makes a repetition the same mutation, whose answer is stored; null: nothing does. */
  readonly idempotency: Idempotency | null
  /** Whether values of custom fields may be any that are defined, required ones included (contract section 5). */
  readonly managesCustomFields: boolean
  /** For the database: whose places the mutation takes. */
  readonly reader: Reader
}

/** How a request came in, as its audit entries and its stored answer tell. */
export interface Origin {
  /** The id of the operation. */
  readonly operation: string
  readonly tokenId: string
  readonly addressClass: AddressClass
}

/** Whose doing a change is, in change events and audit entries (contract section 11). */
export interface Author {
  readonly type: 'application' | 'user' | 'system' | 'ai_agent' | 'import' | 'bulk_job'
  /** Of a user or an AI agent, or of the user who began a job. */
  readonly uuid: string | null
  /** Of an import or a bulk job. */
  readonly jobId: string | null
}

/** The `Idempotency-Key` of a mutation, the application that it belongs to, and a hash of all that was asked. */
export interface Idempotency {
  readonly applicationId: string
  readonly key: string
  readonly fingerprint: Buffer
}

/** The author of what an application does by itself. */
export const byApplication: Author = { type: 'application', uuid: null, jobId: null }

/** The reader of a mutation for which nobody waits at a socket. */
export function unattended(organizationId: string): Reader {
  return { organizationId, giveWay: () => Promise.resolve(), whenGone: () => () => {} }
}
