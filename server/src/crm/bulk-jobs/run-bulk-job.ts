import {
  Actor,
  type Author,
  bounds,
  cancelJobRecord,
  defineRecordJob,
  endJobRecord,
  findJobRecord,
  type JobContext,
  type JobEnding,
  type JobSurroundings,
  mutate,
  type Refusal,
  refuse,
  type Services,
  type WriteContext,
  whyJobEnded,
} from '../../kernel/index.ts'
import { CommitUncertain, failureOf, type Transaction } from '../../kernel/sql/index.ts'
import { type BulkJob, bulkJobRecord } from './bulk-job.ts'
import { endBulkJobEarly } from './chunk.sql.ts'
import { chunkOf, ended } from './decide-targets.ts'

/**
 * Processes the targets of a bulk job, chunk by chunk. The outcome of a target is committed together with the counters, so a process that
 * crashes in between loses nothing and repeats nothing (contract section 10.1).
 */
export const bulkJob = defineRecordJob(bulkJobRecord, {
  payload: 'jobId',
  async run(id, context) {
    const job = await findJobRecord(bulkJobRecord, id, context)
    if (job === null || job.finishedAt !== null) return 'done'
    const turn = new Turn(job, context)
    const { tokenId, startedBy } = job
    const scopes = scopesOf(job, context.services)
    do {
      const failure = await whyJobEnded({ tokenId, startedBy, scopes }, context)
      if (failure !== null) {
        const message = `${failure.message}; targets that were changed stay`
        await end(id, { status: 'failed', failure: { ...failure, message } }, context)
        return 'done'
      }
      if (await turn.goOn()) return 'done'
      await context.pace.rest()
    } while (!context.signal.aborted && performance.now() < context.turnEnds)
    return 'again'
  },
  async giveUp(id, context) {
    const message = 'The job could not go on and was given up after several attempts'
    await end(id, { status: 'failed', failure: { code: 'internal_error', message } }, context)
  },
  cancel: (id, context) => end(id, { status: 'canceled', failure: null }, context),
})

/** Ends a job early: the unprocessed targets are canceled. */
function end(id: string, how: JobEnding, { organizationId, services }: JobSurroundings): Promise<void> {
  const ending = (job: BulkJob, write: WriteContext) => endedEarly(job, how, write)
  return endJobRecord(bulkJobRecord, id, ending, Actor.of({ organizationId, author: authorOf(id, null) }), services)
}

function endedEarly({ id, done }: BulkJob, { status, failure }: JobEnding, write: WriteContext) {
  const cause = [failure?.code ?? null, failure?.message ?? null]
  return {
    ...ended(id, status, status, write),
    async sweep(transaction: Transaction) {
      await transaction.query(endBulkJobEarly, [write.organizationId, id, done, status, write.now, ...cause])
      return {}
    },
  }
}

/** `POST …/bulk-jobs/{id}/cancel`: targets that were changed stay so. */
export const cancelBulkJob = cancelJobRecord({
  record: bulkJobRecord,
  group: 'bulkJobs',
  path: '/bulk-jobs',
  name: 'bulk job',
  scope: 'crm_bulk_manage',
  end: (job, write) => endedEarly(job, { status: 'canceled', failure: null }, write),
})

const authorOf = (jobId: string, startedBy: string | null): Author => ({ type: 'bulk_job', uuid: startedBy, jobId })

/** The scopes that the request for the job needed. */
function scopesOf({ entityType, action, changes }: BulkJob, { bulkActions }: Pick<Services, 'bulkActions'>): string[] {
  const asked = bulkActions.find(({ resource, name }) => resource.kind === entityType && name === action)
  return ['crm_bulk_manage', ...(asked?.valueScopes(changes) ?? [])]
}

/** One run of a job by a worker. */
class Turn {
  readonly #job: BulkJob
  readonly #surroundings: JobSurroundings & Pick<JobContext, 'pace'>
  readonly #startedAt: string
  /** Set when a chunk has thrown an error: targets are then processed one by one. */
  #isBroken = false

  constructor(job: BulkJob, surroundings: JobSurroundings & Pick<JobContext, 'pace'>) {
    this.#job = job
    this.#surroundings = surroundings
    this.#startedAt = new Date(surroundings.services.clock.now()).toISOString()
  }

  /**
   * Processes the next chunk; resolves to whether the job is finished. If a chunk throws an error, its targets are processed one by one,
   * and the one that throws again is marked as failed. Transient errors, such as a lost connection, are rethrown.
   */
  async goOn(): Promise<boolean> {
    const targets = this.#isBroken ? 1 : this.#surroundings.pace.partOf(bounds.bulkChunk.most)
    try {
      return await this.#doChunk(targets)
    } catch (error) {
      if (mayPass(error)) throw error
      this.#surroundings.services.onFailure(error, { job: bulkJob.name, jobId: this.#job.id, targets })
      if (targets === 1) return this.#doChunk(targets, refuse('internal_error'))
      this.#isBroken = true
      return false
    }
  }

  async #doChunk(most: number, failure?: Refusal): Promise<boolean> {
    const { organizationId, services } = this.#surroundings
    const { id: jobId, applicationId, startedBy } = this.#job
    const failing = failure === undefined ? {} : { failure }
    const chunk = chunkOf({ jobId, most, startedAt: this.#startedAt, ...failing }, services)
    const actor = Actor.of({ organizationId, author: authorOf(jobId, startedBy), applicationId })
    const { isFinished } = await mutate(chunk, actor, services)
    return isFinished
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof CommitUncertain || failureOf(error) !== 'broken'
}
