import type { Admission } from './admission/index.ts'
import type { Authentication } from './auth/index.ts'
import type { Clock } from './clock.ts'
import type { Configurations } from './configuration/index.ts'
import type { Counters, Retention } from './limits/index.ts'
import type { Kinds } from './record/define-nested.ts'
import type { Secret } from './secret.ts'
import type { Database, DiskSpace } from './sql/index.ts'
import type { Spool } from './uploads/index.ts'

/** What the process has one of. */
export interface Services extends Kinds {
  readonly clock: Clock
  readonly database: Database
  readonly diskSpace: DiskSpace
  readonly authentication: Authentication
  readonly counters: Counters
  readonly configurations: Configurations
  readonly secret: Secret
  readonly admission: Admission
  readonly retention: Retention
  /** Where files of requests are while the requests are served. */
  readonly spool: Spool
  /** Called with what went wrong inside, for the log; the integrator is told only the request id. */
  onFailure(error: unknown, facts: Readonly<Record<string, unknown>>): void
}
