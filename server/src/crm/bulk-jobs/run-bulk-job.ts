import {
  bounds,
  defineJob,
  type JobContext,
  mutate,
  type Refusal,
  refuse,
  type Services,
  unattended,
  whyJobEnded,
} from '../../kernel/index.ts'
import { CommitUncertain, failureOf } from '../../kernel/sql/index.ts'
import { type BulkJob, toBulkJob } from './bulk-job.ts'
import { selectAnyBulkJob } from './bulk-jobs.sql.ts'
import { writerOf } from './bulk-writer.ts'
import { chunkOf } from './chunk.ts'
import { endBulkJob } from './end-bulk-job.ts'

/**
 * Changes the targets of a bulk job, chunk after chunk. What happens to a target is committed together with the counters, so
 * a process that ends in between loses nothing and repeats nothing (contract section 10.1).
 */
export const bulkJob = defineJob({
  name: 'bulk_job',
  async run({ jobId }, context) {
    const job = await findJob(String(jobId), context)
    if (job === null || job.finishedAt !== null) return 'done'
    const turn = new Turn(job, context)
    const { tokenId } = job
    const scopes = scopesOf(job, context.services)
    do {
      const failure = await whyJobEnded({ tokenId, scopes }, context)
      if (failure !== null) {
        const message = `${failure.message}; targets that were changed stay`
        await endBulkJob(job.id, { status: 'failed', failure: { ...failure, message } }, context)
        return 'done'
      }
      if (await turn.goOn()) return 'done'
      await context.pace.rest()
    } while (!context.signal.aborted && performance.now() < context.turnEnds)
    return 'again'
  },
  async giveUp({ jobId }, context) {
    const message = 'The job could not go on and was given up after several attempts'
    await endBulkJob(String(jobId), { status: 'failed', failure: { code: 'internal_error', message } }, context)
  },
  async cancel({ jobId }, context) {
    await endBulkJob(String(jobId), { status: 'canceled', failure: null }, context)
  },
  async progress({ jobId }, context) {
    const job = await findJob(String(jobId), context)
    if (job === null) return null
    const { status, startedAt, finishedAt, counters, done, total } = job
    return { status, startedAt, finishedAt, counters: { ...counters }, done, total }
  },
})

type Surroundings = Pick<JobContext, 'organizationId' | 'services'>

async function findJob(jobId: string, { organizationId, services }: Surroundings): Promise<BulkJob | null> {
  const [row] = await services.database.query(selectAnyBulkJob, [organizationId, jobId], unattended(organizationId))
  return row === undefined ? null : toBulkJob(row)
}

/** The scopes that the request for the job needed. */
function scopesOf({ entityType, action, changes }: BulkJob, { bulkActions }: Pick<Services, 'bulkActions'>): string[] {
  const asked = bulkActions.find(({ resource, name }) => resource.kind === entityType && name === action)
  return ['crm_bulk_manage', ...(asked?.valueScopes(changes) ?? [])]
}

/** One turn of a job. */
class Turn {
  readonly #job: BulkJob
  readonly #surroundings: Surroundings & Pick<JobContext, 'pace'>
  readonly #startedAt: string
  /** Set when a chunk has failed inside: targets are then tried one by one. */
  #isBroken = false

  constructor(job: BulkJob, surroundings: Surroundings & Pick<JobContext, 'pace'>) {
    this.#job = job
    this.#surroundings = surroundings
    this.#startedAt = new Date(surroundings.services.clock.now()).toISOString()
  }

  /**
   * Does the next chunk; resolves to whether the job is finished. When a chunk fails inside, its targets are tried one by one,
   * and the one with which it fails again is marked. What may pass, such as a lost connection, is thrown.
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
    const { id: jobId, applicationId } = this.#job
    const failing = failure === undefined ? {} : { failure }
    const chunk = chunkOf({ jobId, most, startedAt: this.#startedAt, ...failing }, services)
    const { isFinished } = await mutate(chunk, writerOf(organizationId, applicationId, jobId), services)
    return isFinished
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof CommitUncertain || failureOf(error) !== 'broken'
}
