import type { Services } from '../../../kernel/index.ts'
import {
  type FoundJob,
  findJobs,
  type Job,
  type JobProgress,
  type QueuedJob,
  secondsLeft,
} from '../../../kernel/jobs/index.ts'
import { jobs as ofProduct } from '../../../modules.ts'

/** A job as commands show it. A job that is no longer in the queue has ended. */
export interface ShownJob extends Omit<QueuedJob, 'state'> {
  readonly state: QueuedJob['state'] | 'ended'
  /** Its progress, from its record; null if its kind keeps none. */
  readonly progress: (JobProgress & { readonly secondsLeft: number | null }) | null
}

/** Finds jobs in the queue, and reads their progress from their records. */
export class JobReader {
  readonly services: Services
  readonly #jobs: readonly Job[]

  constructor(services: Services, jobs = ofProduct) {
    this.services = services
    this.#jobs = jobs
  }

  /** The job with this id. Throws if there is none, or if jobs of several kinds have it. */
  async find(id: string): Promise<FoundJob> {
    const found = await this.look(id)
    if (found === null) throw new Error(`no job ${id} is in the queue: it has ended, or there never was one`)
    return found
  }

  /** The same, or null if there is none. */
  async look(id: string): Promise<FoundJob | null> {
    const [found = null, other] = await findJobs(this.services.database, { id })
    if (found === null) return null
    if (other !== undefined) throw new Error(`several jobs are called ${id}: ${found.job}, ${other.job}`)
    return found
  }

  /** The present state of the job. */
  async read(known: FoundJob): Promise<ShownJob> {
    const now = (await findJobs(this.services.database, { id: known.id })).find(({ job }) => job === known.job)
    const { rowId: _, payload: __, ...job } = now ?? known
    return { ...job, state: now?.state ?? 'ended', progress: await this.#progressOf(known) }
  }

  /** The declaration of its kind; undefined for upkeep, and for kinds of another version. */
  kindOf({ job }: Pick<FoundJob, 'job'>): Job | undefined {
    return this.#jobs.find(({ name }) => name === job)
  }

  async #progressOf(found: FoundJob): Promise<ShownJob['progress']> {
    const { organizationId, payload } = found
    if (organizationId === null) return null
    const progress = await this.kindOf(found)?.progress?.(payload, { organizationId, services: this.services })
    return progress ? { ...progress, secondsLeft: secondsLeft(progress, this.services.clock.now()) } : null
  }
}
