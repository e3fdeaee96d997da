import { bounds } from '../limits/index.ts'
import { lockNumber } from '../schema/index.ts'
import type { Database, Row, Statement } from '../sql/index.ts'
import { queueOf } from './names.ts'
import { leavePlace, lockPlaces, takePlace } from './queue.sql.ts'

/** What the queue tells of a job that a worker has locked. */
export interface LockedJob {
  readonly id: string
  /** From 1, counted up when the job is locked. */
  readonly attempts: number
  /** The worker. */
  readonly locked_by: string | null
}

/** How an attempt leaves its job: see `leavePlace`. */
export type JobEnd = 'done' | 'again' | 'failed' | 'given up'

/**
 * Whether a locked job may run. `waits`: as many of its organization run as may, so it went back to the queue. `lost`: another worker
 * has it by now.
 */
export type Admitted = 'runs' | 'waits' | 'lost' | 'organization gone' | 'organization read-only'

/**
 * The jobs that an organization has running, in all processes: one of a kind, because a kind has one queue for each organization, and
 * `bounds.organizationJobs` in all. A job beyond that goes back to the queue, where it costs nothing until a place is free.
 */
export class JobPlaces {
  readonly #database: Database
  readonly #kinds: readonly string[]

  /** `kinds` are the names of all kinds of jobs. */
  constructor(database: Database, kinds: readonly string[]) {
    this.#database = database
    this.#kinds = kinds
  }

  /** Takes a place for a job that this worker has locked, or sends it back. */
  async take({ id, locked_by: worker }: LockedJob, organizationId: string): Promise<Admitted> {
    const values = [id, worker, this.#queuesOf(organizationId), bounds.organizationJobs.most, organizationId]
    const [row] = await this.#underLock(organizationId, takePlace, values)
    if (row?.is_free !== true) return row?.went_back === true ? 'waits' : 'lost'
    if (row.organization_id === null) return 'organization gone'
    return row.read_only === true ? 'organization read-only' : 'runs'
  }

  /** Ends an attempt of a job and frees its place; false if the worker has the job no more. */
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

  /** Asks behind the lock of the organization, so that what is asked sees all that others have committed before. */
  async #underLock(organizationId: string, asked: Statement, values: readonly unknown[]): Promise<Row[]> {
    const transaction = await this.#database.begin()
    const locked = transaction.query(lockPlaces, [lockNumber('jobs', organizationId)])
    const answer = transaction.query(asked, values)
    await transaction.commit(Promise.all([locked, answer]))
    return answer
  }
}
