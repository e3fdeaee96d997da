import type { Pace } from '../admission/index.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'

/** What a job is given beside its payload. */
export interface JobContext {
  readonly organizationId: string
  readonly services: Services
  /** Is aborted when the process stops: end the chunk that has begun, and answer `again`. */
  readonly signal: AbortSignal
  /**
   * When to begin no further chunk and to answer `again`, on the clock of `performance.now()`. After a failed attempt that is at once:
   * the attempts begin anew behind one chunk, so a job that gets on is not given up, however often it is interrupted.
   */
  readonly turnEnds: number
  /** How large the next chunk may be, and how long the job rests behind it, so that requests find room. */
  readonly pace: Pace
  /** The number of this attempt, from 1. It begins anew after each `again`. */
  readonly attempt: number
  /** Whether what this attempt throws is given to `giveUp`. */
  readonly isLastAttempt: boolean
}

/** How far a job has come, as its record tells. */
export interface JobProgress {
  /** The status of the record, such as `running`. */
  readonly status: string
  readonly startedAt: string | null
  /** When it ended, in whatever way. */
  readonly finishedAt: string | null
  /** How many parts there are in each state, such as `succeeded`. */
  readonly counters: Readonly<Record<string, number>>
  /** How many parts are done, out of how many; null while that is not known. */
  readonly done: number
  readonly total: number | null
}

/**
 * A kind of work that is done after the commit that asked for it. An organization has at most one job of a kind running, and two in all. In
 * rare cases, such as a process that stood still for a minute, two processes work on one job at the same time: what a job does is to be
 * decided under the lock of its record.
 */
export interface Job {
  /** Names the kind in the queue, for as long as there are jobs of it: `bulk_job`. */
  readonly name: string
  /** How often a chunk is tried, with growing pauses between; 8 if it does not say. */
  readonly attempts?: number
  /**
   * How many processes may end while they do the job without having got further, as `progress` tells, until it is given up with an
   * `InterruptedJob`: a job that ends its process would do so for ever. As many as there are attempts if it does not say.
   */
  readonly interruptions?: number
  /**
   * Does a part of the work, until `turnEnds`, in chunks at the pace of the context, and saves where it is in the transaction of that
   * work. `again` queues the job behind those of others. What it throws goes to the log, and the attempt is repeated later.
   */
  run(payload: JsonObject, context: JobContext): Promise<'done' | 'again'>
  /** Marks the record failed after the last attempt; `error` is what that threw. */
  giveUp?(payload: JsonObject, context: JobContext, error: unknown): Promise<void>
  /** Tells how far the job has come; null if it has no record any more. */
  progress?(payload: JsonObject, context: Pick<JobContext, 'organizationId' | 'services'>): Promise<JobProgress | null>
  /**
   * Marks the record canceled for an operator, so that a running job ends by itself. Throws a reason for the operator if it cannot be
   * canceled. A kind without it is taken out of the queue, where it is not running.
   */
  cancel?(payload: JsonObject, context: Pick<JobContext, 'organizationId' | 'services'>): Promise<void>
}

/** Why a job is given up whose process has ended as often as it may. */
export class InterruptedJob extends Error {}

/** Declares a kind of job; `Module.jobs` lists it. */
export function defineJob(job: Job): Job {
  return job
}

/** A job that is to be done. */
export interface JobRequest {
  readonly job: Job
  /** Ids, and never data: the queue is read by operators and kept in backups. */
  readonly payload: JsonObject
  /** Not before this time. */
  readonly runAt?: Date
  /**
   * Names the job among those of its kind and organization: the id of its record. A job that waits under this key is replaced. Without
   * one the job gets an id of its own.
   */
  readonly key?: string
}
