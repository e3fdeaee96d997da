import { bounds } from '../limits/index.ts'
import { lockNumber } from '../schema/index.ts'
import type { Database, Row, Statement } from '../sql/index.ts'
import { noOrganization, queueOf } from './names.ts'
import { leavePlace, lockPlaces, takePlace } from './queue.sql.ts'

/** The row of a job that a worker has locked. */
export interface LockedJob {
  readonly id: string
  /** From 1, incremented when the job is locked. */
  readonly attempts: number
  readonly locked_by: string | null
}

/** How an attempt ends: see `leavePlace`. */
export type JobEnd = 'done' | 'again' | 'failed' | 'given up'

/**
 * Whether a locked job may run. `waits`: its organization has no free slot, so the job went back to the queue. `lost`: another worker has
 * locked it meanwhile.
 */
export type Admitted = 'runs' | 'waits' | 'lost' | 'organization gone' | 'organization read-only'

/**
 * The slots for running jobs of an organization, across all processes: one for each kind, because each kind has one queue per
 * organization, and `bounds.organizationJobs` in all. A job beyond that goes back to the queue, where it costs nothing until a slot is
 * free. The installation has as many for jobs of its own.
 */
export class JobSlots {
  readonly #database: Database
  readonly #kinds: readonly string[]

  /** `kinds` are the names of all kinds of jobs. */
  constructor(database: Database, kinds: readonly string[]) {
    this.#database = database
    this.#kinds = kinds
  }

  /** Takes a slot for a job that this worker has locked, or returns the job to the queue. */
  async take({ id, locked_by: worker }: LockedJob, organizationId: string): Promise<Admitted> {
    const isOfInstallation = organizationId === noOrganization
    const of = isOfInstallation ? null : organizationId
    const values = [id, worker, this.#queuesOf(organizationId), bounds.organizationJobs.most, of]
    const [row] = await this.#underLock(organizationId, takePlace, values)
    if (row?.is_free !== true) return row?.went_back === true ? 'waits' : 'lost'
    if (isOfInstallation) return 'runs'
    if (row.organization_id === null) return 'organization gone'
    return row.read_only === true ? 'organization read-only' : 'runs'
  }

  /** Ends an attempt of a job and releases its slot; false if another worker has locked the job meanwhile. */
  async leave(
    { id, locked_by: worker }: LockedJob,
    organizationId: string,
    end: JobEnd,
    { runAt = null, reason = null }: { readonly runAt?: string | null; readonly reason?: string | null } = {},
  ): Promise<boolean> {
    const values = [id, worker, this.#queuesOf(organizationId), end, runAt, reason]
    return (await this.#underLock(organizationId, leavePlace, values)).length > 0
  }

  #queuesOf(organizationId: string): string[] {
    return this.#kinds.map(kind => queueOf(kind, organizationId))
  }

  /** Runs the statement under the lock of the organization, so that it sees everything that others have committed before. */
  async #underLock(organizationId: string, asked: Statement, values: readonly unknown[]): Promise<Row[]> {
    const transaction = await this.#database.begin()
    const locked = transaction.query(lockPlaces, [lockNumber('jobs', organizationId)])
    const answer = transaction.query(asked, values)
    await transaction.commit(Promise.all([locked, answer]))
    return answer
  }
}
