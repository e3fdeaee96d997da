import type { Admission, GroupQueues } from './admission/index.ts'
import type { Authentication, Members } from './auth/index.ts'
import type { Clock } from './clock.ts'
import type { Configurations } from './configuration/index.ts'
import type { Declared } from './declared.ts'
import type { Secret } from './encryption/secret.ts'
import type { FeedTails, FeedWaits } from './feed/index.ts'
import type { DiskReserve, Files } from './files/index.ts'
import type { Counters, Retention } from './limits/index.ts'
import type { Mail } from './mail/index.ts'
import type { OutboundOptions } from './outbound/index.ts'
import type { Database, DiskSpace } from './sql/index.ts'
import type { Spool } from './uploads/index.ts'

/** What all operations of a process share. */
export interface Services extends Declared {
  readonly clock: Clock
  readonly database: Database
  readonly diskSpace: DiskSpace
  readonly diskReserve: DiskReserve
  readonly authentication: Authentication
  readonly members: Members
  readonly counters: Counters
  readonly configurations: Configurations
  readonly secret: Secret
  readonly admission: Admission
  /** Where the writes of one organization wait to be committed together (group commit). */
  readonly groupQueues: GroupQueues
  /** The newest events of the feeds that somebody follows. */
  readonly feedTails: FeedTails
  /** The requests that wait for an event. */
  readonly feedWaits: FeedWaits
  readonly retention: Retention
  /** The address that the operator has given the server, for links and pages. */
  readonly publicBaseUrl: string | undefined
  /** What sends mail; null if the operator has named no server that takes it. Links in mail begin with `publicBaseUrl`. */
  readonly mail: Mail | null
  /** Which addresses may be called that clients choose. */
  readonly outbound: OutboundOptions
  /** Keeps the files of requests while the requests are served. */
  readonly spool: Spool
  /** Stores files permanently: attachments, exports, imports. */
  readonly files: Files
  /** Called with an error and its facts, for the log. The client sees only the request id. */
  onFailure(error: unknown, facts: Readonly<Record<string, unknown>>): void
}
