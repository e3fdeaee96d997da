import type { Pace } from '../admission/index.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'

/** What a job receives beside its payload. */
export interface JobContext {
  /** `noOrganization` for a job of the installation. */
  readonly organizationId: string
  readonly services: Services
  /** Aborted when the process stops: finish the current chunk, and return `again`. */
  readonly signal: AbortSignal
  /**
   * When to start no further chunk and to return `again`, on the clock of `performance.now()`. After a failed attempt this is at once:
   * attempts are counted anew after each chunk, so a job that makes progress is not given up, however often it is interrupted.
   */
  readonly turnEnds: number
  /** Sets the size of the next chunk and the rest after it, so that requests are not starved. */
  readonly pace: Pace
  /** The number of this attempt, from 1. Counting restarts after each `again`. */
  readonly attempt: number
  /** Whether an error of this attempt is passed to `giveUp`. */
  readonly isLastAttempt: boolean
}

/** The progress of a job, from its record. */
export interface JobProgress {
  /** The status of the record, such as `running`. */
  readonly status: string
  readonly startedAt: string | null
  /** When it ended, successfully or not. */
  readonly finishedAt: string | null
  /** The number of parts in each state, such as `succeeded`. */
  readonly counters: Readonly<Record<string, number>>
  /** The number of parts done and of all parts; null while that is not known. */
  readonly done: number
  readonly total: number | null
}

/**
 * A kind of work that runs after the commit that requested it. An organization has at most one running job of each kind, and at most two
 * in all. In rare cases, such as a process that was suspended for a minute, two processes work on one job at the same time: a job must
 * make its decisions under the lock of its record.
 */
export interface Job {
  /** The name of the kind in the queue, which must not change while the queue holds such jobs: `bulk_job`. */
  readonly name: string
  /** The attempts for each chunk, with growing pauses between them; 8 by default. */
  readonly attempts?: number
  /**
   * How many processes may end while running the job without progress, as `progress` reports it, before the job is given up with an
   * `InterruptedJob`: a job that crashes its process would do so for ever. The number of attempts by default.
   */
  readonly interruptions?: number
  /**
   * Does a part of the work, until `turnEnds`, in chunks at the pace of the context, and saves its position in the same transaction as the
   * work. `again` puts the job behind the jobs of others. An error goes to the log, and the attempt is retried later.
   */
  run(payload: JsonObject, context: JobContext): Promise<'done' | 'again'>
  /** Marks the record failed after the last attempt; `error` is what that attempt threw. */
  giveUp?(payload: JsonObject, context: JobContext, error: unknown): Promise<void>
  /** Reports the progress of the job; null if its record no longer exists. */
  progress?(payload: JsonObject, context: Pick<JobContext, 'organizationId' | 'services'>): Promise<JobProgress | null>
  /**
   * Marks the record canceled for an operator, so that a running job stops by itself. Throws a reason for the operator if the job cannot
   * be canceled. A job of a kind without this function is removed from the queue, unless it is running.
   */
  cancel?(payload: JsonObject, context: Pick<JobContext, 'organizationId' | 'services'>): Promise<void>
}

/** Thrown when a job is given up because too many processes have ended while running it. */
export class InterruptedJob extends Error {}

/** Declares a kind of job; `Module.jobs` lists it. */
export function defineJob(job: Job): Job {
  return job
}

/** A request to run a job. */
export interface JobRequest {
  readonly job: Job
  /** Ids, and never data: operators read the queue, and backups contain it. */
  readonly payload: JsonObject
  /** The earliest time to run. */
  readonly runAt?: Date
  /**
   * Identifies the job within its kind and organization: the id of its record. A waiting job with this key is replaced. Without a key the
   * job gets an id of its own.
   */
  readonly key?: string
}
